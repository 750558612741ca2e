// Streams: one header behind iostream, fstream, sstream and iomanip.
#pragma once
#include <pthread.h>
#include <stdexcept>
namespace std {
typedef long streamoff;
typedef long streamsize;
class streampos {
public:
  streampos(streamoff off = 0);
  operator streamoff() const;
};
class locale {
public:
  locale();
  explicit locale(const char *name);
  template <class _Facet> locale(const locale &other, _Facet *_f);
  static const locale &classic();
};
#define CUDALINT_CTYPE(R, name) template <class _C> R name(_C _c, const locale &loc);
CUDALINT_CTYPE(bool, isspace) CUDALINT_CTYPE(bool, isalpha) CUDALINT_CTYPE(bool, isdigit) CUDALINT_CTYPE(bool, isalnum)
CUDALINT_CTYPE(bool, ispunct) CUDALINT_CTYPE(bool, isupper) CUDALINT_CTYPE(bool, islower) CUDALINT_CTYPE(_C, toupper) CUDALINT_CTYPE(_C, tolower)
#undef CUDALINT_CTYPE
class ios_base {
public:
  typedef unsigned int fmtflags;
  typedef unsigned int openmode;
  typedef unsigned int iostate;
  typedef int seekdir;
  static constexpr fmtflags boolalpha = 1, dec = 2, fixed = 4, hex = 8, internal = 16, left = 32, oct = 64, right = 128;
  static constexpr fmtflags scientific = 256, showbase = 512, showpoint = 1024, showpos = 2048, skipws = 4096, unitbuf = 8192, uppercase = 16384;
  static constexpr fmtflags adjustfield = left | right | internal, basefield = dec | oct | hex, floatfield = scientific | fixed;
  static constexpr openmode app = 1, ate = 2, binary = 4, in = 8, out = 16, trunc = 32;
  static constexpr iostate goodbit = 0, badbit = 1, eofbit = 2, failbit = 4;
  static constexpr seekdir beg = 0, cur = 1, end = 2;
  class failure : public runtime_error { public: using runtime_error::runtime_error; };
  fmtflags flags() const;
  fmtflags flags(fmtflags _f);
  fmtflags setf(fmtflags _f);
  fmtflags setf(fmtflags _f, fmtflags mask);
  void unsetf(fmtflags mask);
  streamsize precision() const;
  streamsize precision(streamsize _p);
  streamsize width() const;
  streamsize width(streamsize _w);
  locale imbue(const locale &loc);
  static bool sync_with_stdio(bool sync = true);
  static int xalloc();
  long &iword(int index);
  locale getloc() const;
};
class streambuf {
public:
  virtual ~streambuf();
  streamsize in_avail();
  int sgetc();
  int sbumpc();
};
class basic_ios_char;
class ios : public ios_base {
public:
  virtual ~ios();
  explicit operator bool() const;
  bool operator!() const;
  iostate rdstate() const;
  void clear(iostate state = goodbit);
  void setstate(iostate state);
  bool good() const;
  bool eof() const;
  bool fail() const;
  bool bad() const;
  iostate exceptions() const;
  void exceptions(iostate except);
  streambuf *rdbuf() const;
  streambuf *rdbuf(streambuf *sb);
  char fill() const;
  char fill(char _c);
  ios &copyfmt(const ios &other);
  ios *tie(class ostream *_s);
};
class ostream : public virtual ios {
public:
  explicit ostream(streambuf *sb);
  ostream &operator<<(ostream &(*manipulator)(ostream &));
  ostream &operator<<(ios &(*manipulator)(ios &));
  ostream &operator<<(ios_base &(*manipulator)(ios_base &));
  ostream &operator<<(bool _n);
  ostream &operator<<(short _n);
  ostream &operator<<(unsigned short _n);
  ostream &operator<<(int _n);
  ostream &operator<<(unsigned int _n);
  ostream &operator<<(long _n);
  ostream &operator<<(unsigned long _n);
  ostream &operator<<(long long _n);
  ostream &operator<<(unsigned long long _n);
  ostream &operator<<(float _f);
  ostream &operator<<(double _f);
  ostream &operator<<(long double _f);
  ostream &operator<<(const void *_p);
  ostream &operator<<(nullptr_t);
  ostream &operator<<(streambuf *sb);
  ostream &put(char _c);
  ostream &write(const char *_s, streamsize _n);
  ostream &flush();
  streampos tellp();
  ostream &seekp(streampos pos);
  ostream &seekp(streamoff off, seekdir dir);
};
ostream &operator<<(ostream &os, char _c);
ostream &operator<<(ostream &os, signed char _c);
ostream &operator<<(ostream &os, unsigned char _c);
ostream &operator<<(ostream &os, const char *_s);
ostream &operator<<(ostream &os, const signed char *_s);
ostream &operator<<(ostream &os, const unsigned char *_s);
template <class _C, class _T, class _A> ostream &operator<<(ostream &os, const basic_string<_C, _T, _A> &_s);
template <class _C, class _T> ostream &operator<<(ostream &os, basic_string_view<_C, _T> _s);
template <class _S, class _T, class = enable_if_t<is_base_of_v<ios_base, _S> && !is_lvalue_reference_v<_S>>> _S &&operator<<(_S &&os, const _T &_x);

class istream : public virtual ios {
public:
  explicit istream(streambuf *sb);
  istream &operator>>(istream &(*manipulator)(istream &));
  istream &operator>>(ios_base &(*manipulator)(ios_base &));
  istream &operator>>(bool &_n);
  istream &operator>>(short &_n);
  istream &operator>>(unsigned short &_n);
  istream &operator>>(int &_n);
  istream &operator>>(unsigned int &_n);
  istream &operator>>(long &_n);
  istream &operator>>(unsigned long &_n);
  istream &operator>>(long long &_n);
  istream &operator>>(unsigned long long &_n);
  istream &operator>>(float &_f);
  istream &operator>>(double &_f);
  istream &operator>>(long double &_f);
  istream &operator>>(void *&_p);
  streamsize gcount() const;
  int get();
  istream &get(char &_c);
  istream &get(char *_s, streamsize _n);
  istream &get(char *_s, streamsize _n, char delim);
  istream &getline(char *_s, streamsize _n);
  istream &getline(char *_s, streamsize _n, char delim);
  istream &ignore(streamsize _n = 1, int delim = -1);
  int peek();
  istream &read(char *_s, streamsize _n);
  streamsize readsome(char *_s, streamsize _n);
  istream &putback(char _c);
  istream &unget();
  streampos tellg();
  istream &seekg(streampos pos);
  istream &seekg(streamoff off, seekdir dir);
};
istream &operator>>(istream &is, char &_c);
istream &operator>>(istream &is, signed char &_c);
istream &operator>>(istream &is, unsigned char &_c);
istream &operator>>(istream &is, char *_s);
istream &operator>>(istream &is, string &_s);
istream &getline(istream &is, string &str);
istream &getline(istream &is, string &str, char delim);
istream &ws(istream &is);
class iostream : public istream, public ostream { public: explicit iostream(streambuf *sb); };
ostream &endl(ostream &os);
ostream &ends(ostream &os);
ostream &flush(ostream &os);
#define CUDALINT_MANIPULATOR(name) ios_base &name(ios_base &str);
CUDALINT_MANIPULATOR(boolalpha) CUDALINT_MANIPULATOR(noboolalpha) CUDALINT_MANIPULATOR(showbase) CUDALINT_MANIPULATOR(noshowbase)
CUDALINT_MANIPULATOR(showpoint) CUDALINT_MANIPULATOR(noshowpoint) CUDALINT_MANIPULATOR(showpos) CUDALINT_MANIPULATOR(noshowpos)
CUDALINT_MANIPULATOR(skipws) CUDALINT_MANIPULATOR(noskipws) CUDALINT_MANIPULATOR(uppercase) CUDALINT_MANIPULATOR(nouppercase)
CUDALINT_MANIPULATOR(internal) CUDALINT_MANIPULATOR(left) CUDALINT_MANIPULATOR(right) CUDALINT_MANIPULATOR(dec)
CUDALINT_MANIPULATOR(hex) CUDALINT_MANIPULATOR(oct) CUDALINT_MANIPULATOR(fixed) CUDALINT_MANIPULATOR(scientific)
CUDALINT_MANIPULATOR(hexfloat) CUDALINT_MANIPULATOR(defaultfloat) CUDALINT_MANIPULATOR(unitbuf)
#undef CUDALINT_MANIPULATOR
extern istream cin;
extern ostream cout;
extern ostream cerr;
extern ostream clog;

namespace detail { struct manipulator {}; }
detail::manipulator setw(int _n);
detail::manipulator setprecision(int _n);
detail::manipulator setfill(char _c);
detail::manipulator setbase(int base);
detail::manipulator setiosflags(ios_base::fmtflags mask);
detail::manipulator resetiosflags(ios_base::fmtflags mask);
template <class _T> detail::manipulator put_time(const _T *tm, const char *format);
template <class _T> detail::manipulator get_time(_T *tm, const char *format);
template <class _T> detail::manipulator quoted(const _T &_s);
ostream &operator<<(ostream &os, detail::manipulator _m);
istream &operator>>(istream &is, detail::manipulator _m);

#define CUDALINT_FILE(name, parent, mode_default) \
  class name : public parent { \
  public: \
    name(); \
    explicit name(const char *filename, ios_base::openmode mode = mode_default); \
    explicit name(const string &filename, ios_base::openmode mode = mode_default); \
    bool is_open() const; \
    void open(const char *filename, ios_base::openmode mode = mode_default); \
    void open(const string &filename, ios_base::openmode mode = mode_default); \
    void close(); \
    void swap(name &other); \
  };
CUDALINT_FILE(ifstream, istream, ios_base::in)
CUDALINT_FILE(ofstream, ostream, ios_base::out)
CUDALINT_FILE(fstream, iostream, ios_base::in | ios_base::out)
#undef CUDALINT_FILE
#define CUDALINT_STRINGSTREAM(name, parent) \
  class name : public parent { \
  public: \
    name(); \
    explicit name(ios_base::openmode mode); \
    explicit name(const string &str, ios_base::openmode mode = ios_base::in | ios_base::out); \
    string str() const; \
    void str(const string &_s); \
  };
CUDALINT_STRINGSTREAM(istringstream, istream)
CUDALINT_STRINGSTREAM(ostringstream, ostream)
CUDALINT_STRINGSTREAM(stringstream, iostream)
#undef CUDALINT_STRINGSTREAM
template <class _C, class = char_traits<_C>> using basic_ostream = enable_if_t<is_same_v<_C, char>, ostream>;
template <class _C, class = char_traits<_C>> using basic_istream = enable_if_t<is_same_v<_C, char>, istream>;
}
