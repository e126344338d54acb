(ns plumbline.jepsen-test
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is run-tests]]
            [jepsen.checker :as checker]
            [plumbline.jepsen :as plumbline]))

(defn op [process type f value] {:process process :type type :f f :value value :error [:not :told]})

(def wrong [(op 0 :invoke :write 1) (op 0 :ok :write 1) (op :nemesis :info :start nil)
            (op 1 :invoke :read nil) (op 1 :ok :read 2)])

(def right (assoc wrong 4 (op 1 :ok :read 1)))

(defn judge [options history] (checker/check (plumbline/linearizable options) {} history {}))

(deftest verdicts
  (let [found (judge {:object "register"} wrong)]
    (is (false? (:valid? found)))
    (is (= [1] (:core found)))
    (is (str/includes? (first (:explanation found)) "#1 read() -> 2"))
    (is (str/includes? (slurp (:page found)) "<html")))
  (let [found (judge {} right)]
    (is (true? (:valid? found)))
    (is (= [2 0] [(:operations found) (:pending found)])))
  (is (true? (:valid? (judge {:init 2 :object "register"} [(op 1 :invoke :read nil) (op 1 :ok :read 2)]))))
  (is (true? (:valid? (judge {:args ["--criterion" "stale(1)"]} right)))))

(deftest pending-and-failed
  (is (true? (:valid? (judge {} [(op 0 :invoke :write 3) (op 0 :info :write 3) (op 1 :invoke :read nil) (op 1 :ok :read 3)]))))
  (is (false? (:valid? (judge {} [(op 0 :invoke :write 3) (op 0 :fail :write 3) (op 1 :invoke :read nil) (op 1 :ok :read 3)])))))

(deftest independent-keys
  (let [history [(op 0 :invoke :write [0 1]) (op 0 :ok :write [0 1]) (op 0 :invoke :read [1 nil]) (op 0 :ok :read [1 nil])]]
    (is (true? (:valid? (judge {:independent true} history))))
    (is (false? (:valid? (judge {} history))))))

(deftest no-verdict
  (let [nothing (judge {} [])]
    (is (= :unknown (:valid? nothing)))
    (is (seq (:error nothing))))
  (is (= :unknown (:valid? (judge {:object "no-such-object"} right))))
  (is (str/includes? (:error (judge {:object "no-such-object"} right)) "no-such-object"))
  (is (str/includes? (:error (judge {} [(op 0 :ok :read 1)])) "plumbline.edn:1")))

(deftest long-values-are-written-whole
  (binding [*print-length* 3]
    (is (true? (:valid? (judge {:object "register"} [(op 0 :invoke :write (range 10)) (op 0 :ok :write (range 10))
                                                     (op 0 :invoke :read nil) (op 0 :ok :read (vec (range 10)))]))))))

(deftest json
  (is (= {:a [1 -2.5 nil true "x\"\\\n\u00e9"] :b {}}
         (first (plumbline/read-json " {\"a\" : [1, -2.5,null,true, \"x\\\"\\\\\\n\\u00e9\"], \"b\":{}}" 0)))))

(let [{:keys [fail error]} (run-tests 'plumbline.jepsen-test)]
  (shutdown-agents)
  (System/exit (if (zero? (+ fail error)) 0 1)))
