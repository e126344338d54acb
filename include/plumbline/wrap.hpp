// Recording for C++17, around an object that is there already (plumbline/wrap_guard.hpp guards it):
//
//     plumbline::recorder rec("queue");                       int enq = rec.method("enq"), deq = rec.method("deq");
//     rec.apply(enq, [&] { q.push(7); }, 7);                                       // records enq(7)
//     std::optional<int> v = rec.apply(deq, [&] { return q.try_pop(); });          // deq() -> v, or empty
//
// Threads join by themselves when they first come and leave when they end. Values: integers, bool, strings,
// std::optional (nothing is `empty`), void. libplumbline-record is enough for it.
#ifndef PLUMBLINE_WRAP_HPP
#define PLUMBLINE_WRAP_HPP

#include <plumbline/wrap.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace plumbline {

inline plumb_value value_of(bool b) { return plumb_bool(b); }
inline plumb_value value_of(std::string_view s) { return plumb_bytes(s.data(), static_cast<uint32_t>(s.size())); }
inline plumb_value value_of(const std::string &s) { return value_of(std::string_view(s)); }
inline plumb_value value_of(const char *s) { return value_of(std::string_view(s)); }
template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
plumb_value value_of(T i) {
    return plumb_int(static_cast<int64_t>(i));
}
template <class T> plumb_value value_of(const std::optional<T> &v) { return v ? value_of(*v) : plumb_empty(); }

class recorder {
  public:
    explicit recorder(const char *object, plumb_record_options options = {}) {
        options.struct_size = sizeof options;
        options.object = object;
        r_ = plumb_record_open(&options);
        if (const char *error = plumb_record_error(r_)) {
            std::string what = error;
            plumb_record_close(r_);
            throw std::runtime_error(what);
        }
    }
    recorder(const recorder &) = delete;
    recorder &operator=(const recorder &) = delete;
    ~recorder() { plumb_record_close(r_); }

    int method(const char *name) const { return plumb_record_method(r_, name); }
    plumb_recorder *get() const { return r_; }
    plumb_log *here() const { return plumb_record_here(r_); }

    // An action that throws leaves its operation pending: it may have taken effect.
    template <class Action, class... Args> auto apply(int which, Action &&action, const Args &...args) const {
        plumb_log *log = here();
        const plumb_value arg[sizeof...(Args) + 1] = {value_of(args)..., plumb_none()};
        plumb_call(log, which, arg, sizeof...(Args));
        try {
            if constexpr (std::is_void_v<decltype(action())>) {
                action();
                plumb_ret_none(log);
            } else {
                auto result = action();
                plumb_ret(log, value_of(result));
                return result;
            }
        } catch (...) {
            plumb_ret_unknown(log);
            throw;
        }
    }

  private:
    plumb_recorder *r_;
};

} // namespace plumbline
#endif
