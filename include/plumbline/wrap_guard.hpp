// Guarding for C++17, around an object that is there already. Needs libplumbline:
//
//     plumbline::guard g("queue");                            int deq = g.method("deq");
//     auto a = g.apply(deq, [&] { return q.try_pop(); });                          // a.verified(), a.value
//
// Threads join by themselves when they first come and leave when they end. Values are those of plumbline/wrap.hpp. A
// guard must outlive the threads that used it.
#ifndef PLUMBLINE_WRAP_GUARD_HPP
#define PLUMBLINE_WRAP_GUARD_HPP

#include <plumbline/wrap.hpp>
#include <plumbline/wrap_guard.h>

#include <map>
#include <utility>

namespace plumbline {

template <class T> struct answer {
    plumb_answer how;
    T value;
    bool verified() const { return how == PLUMB_VERIFIED; }
};
template <> struct answer<void> {
    plumb_answer how;
    bool verified() const { return how == PLUMB_VERIFIED; }
};

class guard {
  public:
    explicit guard(const char *object, plumb_guard_options options = {}) {
        options.struct_size = sizeof options;
        options.object = object;
        g_ = plumb_guard_open(&options);
        if (const char *error = plumb_guard_error(g_)) {
            std::string what = error;
            plumb_guard_close(g_);
            throw std::runtime_error(what);
        }
    }
    guard(const guard &) = delete;
    guard &operator=(const guard &) = delete;
    ~guard() {
        members().erase(g_);
        plumb_guard_close(g_);
    }

    int method(const char *name) const { return plumb_guard_method(g_, name); }
    plumb_member *here() const {
        member &m = members()[g_];
        if (!m.it && !(m.it = plumb_guard_join(g_))) throw std::runtime_error("too many threads for the guard");
        return m.it;
    }

    template <class Action, class... Args> auto apply(int which, Action &&action, const Args &...args) const {
        plumb_member *me = here();
        const plumb_value arg[sizeof...(Args) + 1] = {value_of(args)..., plumb_none()};
        plumb_guard_call(me, which, arg, sizeof...(Args));
        using result_type = decltype(action());
        try {
            if constexpr (std::is_void_v<result_type>) {
                action();
                return answer<void>{plumb_guard_ret(me, plumb_none())};
            } else {
                result_type result = action();
                plumb_answer how = plumb_guard_ret(me, value_of(result));
                return answer<result_type>{how, std::move(result)};
            }
        } catch (...) {
            plumb_guard_unknown(me);
            throw;
        }
    }

  private:
    struct member {
        plumb_member *it = nullptr;
        member() = default;
        member(const member &) = delete;
        ~member() { plumb_guard_leave(it); }
    };
    static std::map<plumb_guard *, member> &members() {
        static thread_local std::map<plumb_guard *, member> mine;
        return mine;
    }
    plumb_guard *g_;
};

} // namespace plumbline
#endif
