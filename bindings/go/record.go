package plumbline

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Results of containers: a remove that found nothing, an add that found no room.
const (
	Empty = "empty"
	Full  = "full"
)

// ErrFailed says that an operation certainly had no effect: wrap it, or return it, from the function given to Do.
var ErrFailed = errors.New("the operation failed: it had no effect")

// A Recorder writes the event form of plumb-jsonl (docs/FORMATS.md). The line of a call is in the file before the operation
// begins, that of its return is written after it ended, one at a time: their order is an order of real time. A program that
// is killed leaves operations that are pending. All goroutines may use one recorder.
type Recorder struct {
	mu     sync.Mutex
	file   *os.File
	begun  time.Time // its monotonic part is the clock
	busy   map[int]bool
	failed error // the first error of writing
}

// NewRecorder creates the file. The object may be "".
func NewRecorder(path, object string) (*Recorder, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	r := &Recorder{file: file, begun: time.Now(), busy: map[int]bool{}}
	header := map[string]string{"plumb": "history/1", "clock": "ns"}
	if object != "" {
		header["object"] = object
	}
	return r, r.write(header)
}

// Path is where the history is written.
func (r *Recorder) Path() string { return r.file.Name() }

// Close ends the recording: operations that are open stay pending. It tells the first error that writing met.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.file.Close()
	if r.failed != nil {
		return r.failed
	}
	return err
}

// An Op is an operation: its method, its key if the object has keys, its arguments.
type Op struct {
	Name string
	Key  interface{}
	Args []interface{}
}

// A Call is an open operation. It ends by exactly one of Return, Fail and Unknown.
type Call struct {
	r      *Recorder
	client int
	ended  bool
}

type event struct {
	Client *int          `json:"client,omitempty"`
	Event  string        `json:"event"`
	Op     string        `json:"op,omitempty"`
	Key    interface{}   `json:"key,omitempty"`
	Args   []interface{} `json:"args,omitempty"`
	Text   string        `json:"text,omitempty"`
	Time   int64         `json:"time"`
	Until  int64         `json:"until,omitempty"`
}

type returned struct {
	Client int         `json:"client"`
	Event  string      `json:"event"`
	Res    interface{} `json:"res"`
	Time   int64       `json:"time"`
}

// Call begins an operation. A client does one operation at a time.
func (r *Recorder) Call(client int, op Op) (*Call, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy[client] {
		return nil, fmt.Errorf("client %d has an open call; a client does one operation at a time", client)
	}
	e := event{Client: &client, Event: "call", Op: op.Name, Key: op.Key, Args: op.Args, Time: r.now()}
	if err := r.write(e); err != nil {
		return nil, err
	}
	r.busy[client] = true
	return &Call{r: r, client: client}, nil
}

// Return says that the operation ended. A result that JSON cannot say leaves it pending, and is an error.
func (c *Call) Return(result interface{}) error {
	if _, err := json.Marshal(result); err != nil {
		c.Unknown()
		return err
	}
	return c.end(func(now int64) interface{} { return returned{c.client, "return", result, now} })
}

// Fail says that it certainly had no effect.
func (c *Call) Fail() error { return c.endAs("fail") }

// Unknown says that it may have an effect, now or later. The client goes on afresh.
func (c *Call) Unknown() error { return c.endAs("info") }

func (c *Call) endAs(what string) error {
	return c.end(func(now int64) interface{} { return event{Client: &c.client, Event: what, Time: now} })
}

func (c *Call) end(line func(now int64) interface{}) error {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	if c.ended {
		return errors.New("the operation has ended already")
	}
	c.ended = true
	delete(c.r.busy, c.client)
	return c.r.write(line(c.r.now()))
}

// Do runs a function as an operation and returns what it returns. An error leaves the operation pending, unless it is
// ErrFailed; so does a panic, which goes on.
func (r *Recorder) Do(client int, op Op, run func() (interface{}, error)) (interface{}, error) {
	call, err := r.Call(client, op)
	if err != nil {
		return nil, err
	}
	defer func() {
		if !call.ended { // a panic, or runtime.Goexit
			call.Unknown()
		}
	}()
	result, err := run()
	switch {
	case err == nil:
		return result, call.Return(result)
	case errors.Is(err, ErrFailed):
		call.Fail()
	default:
		call.Unknown()
	}
	return result, err
}

// Note writes what is no operation: a fault, a phase. The function that it returns says that it is over.
func (r *Recorder) Note(text string) (over func() error) {
	r.mu.Lock()
	begun := r.now()
	r.mu.Unlock()
	return func() error {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.write(event{Event: "note", Text: text, Time: begun, Until: r.now()})
	}
}

// Times are taken where lines are written, so that they do not go back from line to line.
func (r *Recorder) now() int64 { return time.Since(r.begun).Nanoseconds() }

func (r *Recorder) write(line interface{}) error {
	if r.failed != nil {
		return r.failed
	}
	bytes, err := json.Marshal(line)
	if err != nil {
		return err // nothing was written: what was asked for cannot be said
	}
	if _, err = r.file.Write(append(bytes, '\n')); err != nil {
		r.failed = err
	}
	return err
}
