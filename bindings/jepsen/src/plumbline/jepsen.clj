(ns plumbline.jepsen
  "A checker for Jepsen that asks `plumb check`. In a test map, instead of checker/linearizable:

      (plumbline.jepsen/linearizable {:object \"register\"})

  Options: :object and :init as of `plumb check`; :independent true for [key value] values, so that it stands outside of
  independent/checker; :timeout in seconds; :args, more arguments; :plumb, the command (else $PLUMB, or plumb on the path).
  The result has :valid? (true, false or :unknown), :core, :explanation and the page in the test's folder."
  (:require [clojure.java.io :as io]
            [clojure.java.shell :refer [sh]]
            [clojure.string :as str]
            [jepsen.checker :as checker]))

;; JSON as `plumb` prints it: Clojure has no reader of its own.

(declare read-json)

(defn- skip-blanks [s at]
  (if (and (< at (count s)) (Character/isWhitespace (.charAt ^String s at))) (recur s (inc at)) at))

(defn- read-text [^String s at]
  (loop [at (inc at) out (StringBuilder.)]
    (let [c (.charAt s at)]
      (case c
        \" [(str out) (inc at)]
        \\ (let [e (.charAt s (inc at))]
             (if (= e \u)
               (recur (+ at 6) (.append out (char (Integer/parseInt (subs s (+ at 2) (+ at 6)) 16))))
               (recur (+ at 2) (.append out (char (get {\n \newline \t \tab \r \return \b \backspace \f \formfeed} e e))))))
        (recur (inc at) (.append out c))))))

(defn- read-items [s at close item]
  (loop [at (skip-blanks s (inc at)) items []]
    (cond
      (= close (.charAt ^String s at)) [items (inc at)]
      (= \, (.charAt ^String s at)) (recur (skip-blanks s (inc at)) items)
      :else (let [[x at] (item s at)] (recur (skip-blanks s at) (conj items x))))))

(defn- read-entry [s at]
  (let [[k at] (read-text s at)
        [v at] (read-json s (inc (skip-blanks s at)))]
    [[(keyword k) v] at]))

(defn- read-word [s at]
  (let [word (re-find #"^[-+.eE0-9a-z]+" (subs s at))
        value (case word "null" nil "true" true "false" false
                (if (re-matches #"-?\d+" word) (Long/parseLong word) (Double/parseDouble word)))]
    [value (+ at (count word))]))

(defn read-json
  "The value that begins at a place, and the place behind it."
  [s at]
  (let [at (skip-blanks s at)]
    (case (.charAt ^String s at)
      \{ (let [[entries at] (read-items s at \} read-entry)] [(into {} entries) at])
      \[ (read-items s at \] read-json)
      \" (read-text s at)
      (read-word s at))))

;; The history as a file, one map a line.

(def ^:private told [:process :type :f :value :time :index :key])

(defn write-history [file history]
  (with-open [out (io/writer file)]
    (binding [*print-length* nil, *print-level* nil, *print-namespace-maps* false]
      (doseq [op history]
        (.write out (prn-str (into {} (filter (fn [[_ v]] (some? v))) (map (juxt identity #(get op %)) told))))))))

(defn- arguments [{:keys [object init independent timeout args]} page]
  (concat (when object ["--object" (str object)])
          (when (some? init) ["--init" (str init)])
          (when independent ["--independent"])
          (when timeout ["--timeout" (str timeout)])
          ["--html" (str page)]
          (map str args)))

(defn check-file
  "What `plumb check` says of a file, as a result of a Jepsen checker."
  [opts file page]
  (let [plumb (or (:plumb opts) (not-empty (System/getenv "PLUMB")) "plumb")
        done (apply sh plumb "check" "--quiet" "--json" (concat (arguments opts page) ["--" (str file)]))
        report (when (str/starts-with? (:out done) "{") (first (read-json (:out done) 0)))
        why (or (get-in report [:error :message]) (when-not report (str/trim (:err done))) (:reason report))]
    (cond-> {:valid? (case (:verdict report) ("linearizable" "holds") true "violation" false :unknown)}
      why (assoc :error why)
      (:core report) (assoc :core (:core report) :explanation (:explanation report))
      report (assoc :engine (:engine report) :operations (:operations report) :pending (:pending report))
      (.exists (io/file page)) (assoc :page (str page)))))

(defn- folder
  "Where files of this check go: the test's folder in the store, or a temporary one."
  [test opts]
  (let [path (when-let [store (resolve 'jepsen.store/path!)]
               (when (and (:name test) (:start-time test))
                 (.getParentFile ^java.io.File (store test (:subdirectory opts) "plumbline.html"))))]
    (or path (.toFile (java.nio.file.Files/createTempDirectory
                       "plumbline" (make-array java.nio.file.attribute.FileAttribute 0))))))

(defn linearizable
  "A checker: is the history linearizable?"
  ([] (linearizable {}))
  ([options]
   (reify checker/Checker
     (check [_ test history opts]
       (let [where (folder test opts)
             file (io/file where "plumbline.edn")]
         (write-history file history)
         (check-file options file (io/file where "plumbline.html")))))))
