package plumbline

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func enq(v int) Op { return Op{Name: "enq", Args: []interface{}{v}} }

var deq = Op{Name: "deq"}

func wrongQueue() []Operation {
	return []Operation{{1, enq(1), 0, nil, 2}, {2, enq(2), 3, nil, 6}, {1, deq, 5, 2, 9}}
}

func TestOperations(t *testing.T) {
	queue := Model{Object: "queue"}
	if CheckOperations(queue, wrongQueue()) {
		t.Error("2 came out before 1")
	}
	result, report := CheckOperationsVerbose(queue, wrongQueue(), time.Minute)
	if result != Illegal || fmt.Sprint(report.Core) != "[0 1 2]" || len(report.Explanation) == 0 {
		t.Errorf("%v %+v", result, report)
	}
	right := wrongQueue()
	right[2].Output = 1
	if !CheckOperations(queue, right) {
		t.Error("1 came out first")
	}
	right[0].Return, right[2].Output = Pending, 2
	if !CheckOperations(queue, right) {
		t.Error("a pending operation may take effect later")
	}
}

func TestUnknown(t *testing.T) {
	if CheckOperationsTimeout(Model{Object: "queue"}, nil, time.Second) != Unknown {
		t.Error("nothing was judged")
	}
}

// As in Porcupine's own examples: inputs of the user's type.
type kvInput struct {
	op    uint8
	key   string
	value string
}

var kvModel = Model{Object: "kv", Translate: func(input, output interface{}) (Op, interface{}) {
	in := input.(kvInput)
	if in.op == 0 {
		return Op{Name: "get", Key: in.key}, output
	}
	return Op{Name: "put", Key: in.key, Args: []interface{}{in.value}}, nil
}}

func TestEvents(t *testing.T) {
	history := []Event{
		{0, CallEvent, kvInput{1, "x", "y"}, 0}, {1, CallEvent, kvInput{1, "x", "<z>"}, 1},
		{0, ReturnEvent, nil, 0}, {2, CallEvent, kvInput{0, "x", ""}, 2}, {2, ReturnEvent, "<z>", 2},
	}
	if !CheckEvents(kvModel, history) {
		t.Error("the second put is open")
	}
	history = append(history, Event{1, ReturnEvent, nil, 1}, Event{2, CallEvent, kvInput{0, "x", ""}, 3},
		Event{2, ReturnEvent, "y", 3})
	if CheckEvents(kvModel, history) {
		t.Error("y came back")
	}
}

func expectPanic(t *testing.T, what string, run func()) {
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, what) {
			t.Errorf("%q does not say %q", said, what)
		}
	}()
	run()
}

func TestNoVerdict(t *testing.T) {
	expectPanic(t, "expected plumbline.Op", func() { CheckOperations(Model{}, []Operation{{Input: 3}}) })
	expectPanic(t, "has no call", func() { CheckEvents(Model{}, []Event{{Kind: ReturnEvent}}) })
	expectPanic(t, "unknown object", func() { CheckOperations(Model{Object: "no-such"}, wrongQueue()) })
	t.Setenv("PLUMB", "/no/such/plumb")
	expectPanic(t, "no such file", func() { CheckOperations(Model{Object: "queue"}, wrongQueue()) })
}

func recorder(t *testing.T) *Recorder {
	r, err := NewRecorder(filepath.Join(t.TempDir(), "h.events.jsonl"), "queue")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func kinds(t *testing.T, r *Recorder) string {
	bytes, err := os.ReadFile(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, line := range strings.Split(strings.TrimSpace(string(bytes)), "\n")[1:] {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, e.Event)
	}
	return strings.Join(kinds, " ")
}

func judge(t *testing.T, r *Recorder) *Report {
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := CheckFile(Model{}, r.Path(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestErrorsArePending(t *testing.T) {
	r := recorder(t)
	r.Do(1, enq(1), func() (interface{}, error) { return nil, errors.New("timed out") })
	r.Do(1, enq(2), func() (interface{}, error) { return nil, fmt.Errorf("refused: %w", ErrFailed) })
	expectPanic(t, "boom", func() { r.Do(1, enq(3), func() (interface{}, error) { panic("boom") }) })
	r.Do(1, deq, func() (interface{}, error) { return 1, nil })
	r.Note("kill n1")()
	if got := kinds(t, r); got != "call info call fail call info call return note" {
		t.Error(got)
	}
	if report := judge(t, r); report.Result() != Ok || report.Pending != 2 {
		t.Errorf("%+v", report)
	}
}

func TestMisuse(t *testing.T) {
	r := recorder(t)
	c, _ := r.Call(1, deq)
	if _, err := r.Call(1, deq); err == nil {
		t.Error("two open calls of one client")
	}
	if c.Return(make(chan int)) == nil || c.Return(1) == nil {
		t.Error("a result that cannot be said, and a second end")
	}
	r.Close()
	if _, err := r.Call(2, deq); err == nil || kinds(t, r) != "call info" {
		t.Error("a call of a closed recorder", err)
	}
}

func TestGoroutines(t *testing.T) {
	r, shared, all := recorder(t), make(chan int, 1000), sync.WaitGroup{}
	for client := 0; client < 4; client++ {
		all.Add(1)
		go func(client int) {
			defer all.Done()
			for i := 0; i < 100; i++ {
				v := client*1000 + i
				r.Do(client, enq(v), func() (interface{}, error) { shared <- v; return nil, nil })
				r.Do(client, deq, func() (interface{}, error) { return <-shared, nil })
			}
		}(client)
	}
	all.Wait()
	if report := judge(t, r); report.Result() != Ok || report.Operations != 800 {
		t.Errorf("%+v", report)
	}
}

// The example of README.md.
func ExampleCheckOperations() {
	history := []Operation{
		{ClientId: 1, Input: Op{Name: "enq", Args: []interface{}{1}}, Call: 0, Return: 2},
		{ClientId: 2, Input: Op{Name: "deq"}, Output: 1, Call: 1, Return: 3},
	}
	fmt.Println(CheckOperations(Model{Object: "queue"}, history))
	// Output: true
}
