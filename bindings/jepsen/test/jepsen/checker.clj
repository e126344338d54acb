(ns jepsen.checker
  "Stands in for Jepsen's namespace of this name, which is not in Debian: the protocol as Jepsen has it.")

(defprotocol Checker
  (check [checker test history opts]))
