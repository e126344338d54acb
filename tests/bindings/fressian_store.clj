;; Writes a store as Jepsen does, with the Fressian writer of Clojure itself: FOLDER/test.jepsen (blocks) and
;; FOLDER/old/test.fressian (one map), the same history in each, as history.edn beside them says it in text.
(require '[clojure.data.fressian :as fress] '[clojure.java.io :as io])
(import '(java.io ByteArrayOutputStream RandomAccessFile) '(java.nio ByteBuffer) '(java.util.zip CRC32)
        '(org.fressian.handlers WriteHandler))

(defrecord Op [index time type process f value])
(defrecord Ref [id])

(defn handler [f] (reify WriteHandler (write [_ w x] (f w x))))

(def handlers
  (-> {Op {"jepsen.history.Op" (handler (fn [w o]
                                          (.writeTag w "jepsen.history.Op" 7)
                                          (.writeInt w (:index o))
                                          (.writeInt w (:time o))
                                          (.writeObject w (:type o) true)
                                          (.writeObject w (:process o))
                                          (.writeObject w (:f o) true)
                                          (.writeObject w (:value o))
                                          (.writeObject w (:error o))))}
       Ref {"block-ref" (handler (fn [w r] (.writeTag w "block-ref" 1) (.writeObject w (:id r))))}
       clojure.lang.MapEntry {"map-entry" (handler (fn [w e]
                                                     (.writeTag w "map-entry" 2)
                                                     (.writeObject w (key e))
                                                     (.writeObject w (val e))))}
       clojure.lang.PersistentHashSet {"persistent-hash-set" (handler (fn [w s]
                                                                        (.writeTag w "persistent-hash-set" 1)
                                                                        (.writeObject w (seq s))))}}
      (merge fress/clojure-write-handlers)
      fress/associative-lookup
      fress/inheritance-lookup))

(defn fressian [& values]
  (let [out (ByteArrayOutputStream.)]
    (with-open [w (fress/create-writer out :handlers handlers)]
      (doseq [v values] (fress/write-object w v)))
    (.toByteArray out)))

(defn number [n size] (let [b (ByteBuffer/allocate 8)] (.putLong b n) (drop (- 8 size) (.array b))))
(defn numbers [& pairs] (byte-array (mapcat (fn [[n size]] (number n size)) (partition 2 pairs))))

(defn block [kind data]
  (let [head (fn [sum] (byte-array (concat (number (+ 28 (count data)) 8) (number sum 4) (number kind 2) (repeat 14 0))))
        crc (CRC32.)]
    (.update crc data)
    (.update crc (head 0))
    (byte-array (concat (head (.getValue crc)) data))))

(def ops
  (for [i (range 40)
        e [[:invoke :write i] [:ok :write i] [:invoke :read nil] [:ok :read (+ i (if (= i 39) 1 0))]]]
    e))
(def all-ops
  (vec (map-indexed (fn [i [type f v]] (->Op i (* 1000000 i) type (if (= f :write) 0 1) f v)) ops)))
(def events
  (-> all-ops
      (conj (->Op 160 900000000 :info :nemesis :start-partition {"n1" #{"n2" "n3"} :e 1.5 :big 12345678901234567890N}))
      (conj (assoc (->Op 161 900000001 :invoke 3 :write 77) :error {:msg "none"}))))

(let [[folder] *command-line-args*
      old (io/file folder "old")
      chunks (partition-all 50 events)
      blocks (concat (map #(block 4 (apply fressian %)) chunks)
                     [(block 5 (apply numbers (count events) 8
                                      (mapcat (fn [i] [(* 50 i) 8 (inc i) 4]) (range (count chunks)))))
                      (block 3 (byte-array (concat (number 0 4) (fressian {:linear {:valid? false}}))))
                      (block 3 (byte-array (concat (number (+ 2 (count chunks)) 4) (fressian {:valid? false}))))])
      vector-id (inc (count chunks))
      test-map {:name "binary register" :nodes ["n1" "n2" "n3"] :concurrency 4 :start (java.util.Date.) :x #{1/2 \a 'sym}}
      blocks (concat blocks [(block 2 (fressian (assoc test-map :history (->Ref vector-id)
                                                       :results (->Ref (+ 2 vector-id)))))])
      places (reductions + 18 (map count blocks))
      index (block 1 (apply numbers (count blocks) 4 (mapcat (fn [i p] [(inc i) 4 p 8]) (range (count blocks)) places)))]
  (io/make-parents (io/file old "x"))
  (with-open [out (io/output-stream (io/file folder "test.jepsen"))]
    (.write out (byte-array (concat (map byte "JEPSEN") (number 1 4) (number (last places) 8))))
    (doseq [b blocks] (.write out b))
    (.write out index))
  (with-open [out (io/output-stream (io/file old "test.fressian"))]
    (.write out (fressian (assoc test-map :history (mapv #(into {} %) events) :results {:valid? false}))))
  (spit (io/file folder "as.edn") (apply str (map #(str (pr-str (into {} %)) "\n") events))))
