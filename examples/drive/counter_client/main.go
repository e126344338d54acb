// A client of `plumb drive --exec` in Go: a counter that all clients share, in a file of the run's folder.
//
//	go build -o counter_client ./examples/drive/counter_client
//	plumb drive --exec ./counter_client --object counter --clients 8
//
// One line of JSON a request, one a reply (docs/DRIVE.md).
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

type hello struct {
	Folder string `json:"folder"`
}

type request struct {
	Op   string  `json:"op"`
	Args []int64 `json:"args"`
}

// update adds to the number in the file, alone, and returns what it was afterwards.
func update(path string, by int64) (int64, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return 0, err
	}
	word := make([]byte, 32)
	n, _ := file.ReadAt(word, 0)
	count, _ := strconv.ParseInt(strings.TrimSpace(string(word[:n])), 10, 64)
	count += by
	if by == 0 {
		return count, nil
	}
	_, err = file.WriteAt([]byte(fmt.Sprintf("%-20d\n", count)), 0)
	return count, err
}

func apply(path string, r request) (any, error) {
	by := int64(1)
	if len(r.Args) > 0 {
		by = r.Args[0]
	}
	switch r.Op {
	case "get":
		return update(path, 0)
	case "inc", "add":
		_, err := update(path, by)
		return nil, err
	case "dec":
		_, err := update(path, -by)
		return nil, err
	}
	return nil, fmt.Errorf("no such operation: %s", r.Op)
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	var first hello
	if !in.Scan() || json.Unmarshal(in.Bytes(), &first) != nil {
		os.Exit(1)
	}
	path := filepath.Join(first.Folder, "counter")
	out.Encode(map[string]any{"ready": true})
	for in.Scan() {
		var r request
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			out.Encode(map[string]any{"fail": err.Error()})
		} else if result, err := apply(path, r); err != nil {
			out.Encode(map[string]any{"info": err.Error()}) // it may have been written
		} else {
			out.Encode(map[string]any{"res": result})
		}
	}
}
