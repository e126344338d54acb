// Package plumbline records concurrent operations and tells whether they are linearizable, by the command `plumb`. Its calls
// are those of Porcupine, with objects named instead of written out:
//
//	ok := plumbline.CheckOperations(plumbline.Model{Object: "queue"}, history)
package plumbline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Pending is the return of an operation that never returned.
const Pending int64 = math.MaxInt64

// A Model names the object that operations are operations of: what `plumb objects` lists, or a plug-in.
type Model struct {
	Object string
	Init   string // the initial value of a register; "": none
	// Translate says what an input of your own type means, and, when it returned, its result. Without it inputs are Op and
	// outputs are values.
	Translate func(input, output interface{}) (op Op, result interface{})
	Arguments []string // more arguments of `plumb check`
}

// An Operation is a call with its return, at times of one clock.
type Operation struct {
	ClientId int
	Input    interface{}
	Call     int64
	Output   interface{}
	Return   int64
}

// An EventKind tells calls from returns.
type EventKind bool

// The kinds of events.
const (
	CallEvent   EventKind = false
	ReturnEvent EventKind = true
)

// An Event is a call or a return; those of one operation have the same Id. Their order is the order of time.
type Event struct {
	ClientId int
	Kind     EventKind
	Value    interface{}
	Id       int
}

// A CheckResult is the verdict.
type CheckResult string

// The verdicts.
const (
	Ok      CheckResult = "Ok"
	Illegal CheckResult = "Illegal"
	Unknown CheckResult = "Unknown"
)

// A Report is what `plumb check --json` prints (schemas/report-2.schema.json), the parts that programs use.
type Report struct {
	Verdict     string   `json:"verdict"`
	Object      string   `json:"object"`
	Engine      string   `json:"engine"`
	Reason      string   `json:"reason"`
	Operations  int      `json:"operations"`
	Pending     int      `json:"pending"`
	Core        []int    `json:"core"`
	Witness     []int    `json:"witness"`
	Explanation []string `json:"explanation"`
	Error       *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// Result is the verdict in Porcupine's words.
func (r *Report) Result() CheckResult {
	switch r.Verdict {
	case "linearizable", "holds":
		return Ok
	case "violation":
		return Illegal
	}
	return Unknown
}

// CheckOperations tells whether the history is linearizable. It panics when there is no verdict because the input is bad or
// there is no command.
func CheckOperations(model Model, history []Operation) bool {
	return CheckOperationsTimeout(model, history, 0) == Ok
}

// CheckOperationsTimeout is Unknown after that time; 0: there is no limit.
func CheckOperationsTimeout(model Model, history []Operation, timeout time.Duration) CheckResult {
	result, _ := CheckOperationsVerbose(model, history, timeout)
	return result
}

// CheckOperationsVerbose tells the whole report, too.
func CheckOperationsVerbose(model Model, history []Operation, timeout time.Duration) (CheckResult, *Report) {
	return must(checkLines(model, func(w *json.Encoder) error { return encodeOperations(model, history, w) }, timeout))
}

// CheckEvents is CheckOperations of events.
func CheckEvents(model Model, history []Event) bool {
	return CheckEventsTimeout(model, history, 0) == Ok
}

// CheckEventsTimeout is Unknown after that time; 0: there is no limit.
func CheckEventsTimeout(model Model, history []Event, timeout time.Duration) CheckResult {
	result, _ := CheckEventsVerbose(model, history, timeout)
	return result
}

// CheckEventsVerbose tells the whole report, too.
func CheckEventsVerbose(model Model, history []Event, timeout time.Duration) (CheckResult, *Report) {
	return must(checkLines(model, func(w *json.Encoder) error { return encodeEvents(model, history, w) }, timeout))
}

func must(report *Report, err error) (CheckResult, *Report) {
	if err != nil {
		panic("plumbline: " + err.Error())
	}
	return report.Result(), report
}

// CheckFile judges a file, a folder that Jepsen wrote, or "-".
func CheckFile(model Model, path string, timeout time.Duration) (*Report, error) {
	return run(model, path, nil, timeout)
}

func (m Model) translate(input, output interface{}) (Op, interface{}, error) {
	if m.Translate != nil {
		op, result := m.Translate(input, output)
		return op, result, nil
	}
	op, fits := input.(Op)
	if !fits {
		return op, nil, fmt.Errorf("the input is a %T; expected plumbline.Op, or a Model with Translate", input)
	}
	return op, output, nil
}

func encodeOperations(model Model, history []Operation, w *json.Encoder) error {
	for _, o := range history {
		op, result, err := model.translate(o.Input, o.Output)
		if err != nil {
			return err
		}
		line := map[string]interface{}{"client": o.ClientId, "op": op.Name, "call": o.Call, "ret": nil}
		put(line, op)
		if o.Return != Pending {
			line["ret"], line["res"] = o.Return, result
		}
		if err := w.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func put(line map[string]interface{}, op Op) {
	line["args"] = op.Args
	if op.Args == nil {
		line["args"] = []interface{}{}
	}
	if op.Key != nil {
		line["key"] = op.Key
	}
}

// Events of Porcupine are matched by their Id: a client may be in several operations at once, so that each operation is a
// client here.
func encodeEvents(model Model, history []Event, w *json.Encoder) error {
	input := map[int]interface{}{}
	for _, e := range history {
		line := map[string]interface{}{"client": e.Id}
		if e.Kind == CallEvent {
			input[e.Id] = e.Value
			op, _, err := model.translate(e.Value, nil)
			if err != nil {
				return err
			}
			line["event"], line["op"] = "call", op.Name
			put(line, op)
		} else {
			of, called := input[e.Id]
			if !called {
				return fmt.Errorf("the return of operation %d has no call", e.Id)
			}
			_, result, err := model.translate(of, e.Value)
			if err != nil {
				return err
			}
			line["event"], line["res"] = "return", result
		}
		if err := w.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func checkLines(model Model, write func(*json.Encoder) error, timeout time.Duration) (*Report, error) {
	var lines bytes.Buffer
	w := json.NewEncoder(&lines)
	w.SetEscapeHTML(false)
	header := map[string]string{"plumb": "history/1"}
	if err := w.Encode(header); err != nil {
		return nil, err
	}
	if err := write(w); err != nil {
		return nil, err
	}
	return run(model, "-", lines.Bytes(), timeout)
}

// Command is the command that is called: $PLUMB, or plumb on the path.
func Command() string {
	if path := os.Getenv("PLUMB"); path != "" {
		return path
	}
	return "plumb"
}

func run(model Model, path string, input []byte, timeout time.Duration) (*Report, error) {
	args := []string{"check", "--quiet", "--json", "--format", "auto"}
	if model.Object != "" {
		args = append(args, "--object", model.Object)
	}
	if model.Init != "" {
		args = append(args, "--init", model.Init)
	}
	if timeout > 0 {
		args = append(args, "--timeout", fmt.Sprintf("%dms", (timeout+time.Millisecond-1)/time.Millisecond))
	}
	args = append(append(args, model.Arguments...), "--", path)
	command := exec.Command(Command(), args...)
	var out, talk bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &out, &talk
	err := command.Run()
	report := &Report{}
	if json.Unmarshal(out.Bytes(), report) != nil { // the exit code is the verdict, which the report has as well
		if said := strings.TrimSpace(talk.String()); said != "" {
			return nil, errors.New(said)
		}
		return nil, fmt.Errorf("%s said nothing: %v", Command(), err)
	}
	if report.Error != nil {
		return nil, errors.New(report.Error.Message)
	}
	return report, nil
}
