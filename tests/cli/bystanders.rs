//! Programs of every Debian machine do under the preloaded runtime what they do without it.

use crate::support::Scratch;

/// Commands with words split at spaces; those whose program is not there are left out.
const COMMANDS: &str = "
true
false
echo hello world
printf %05d\\n 42
seq 1 1000
seq 10 -3 1
factor 1234567890123
expr 6 * 7
basename /a/b/c.txt .txt
dirname /a/b/c
uname -s
nproc
id -u
whoami
arch
date -u -d @0
env -i A=1 env
printenv HOME
cat text
tac text
rev text
nl text
wc text
head -n 2 text
tail -n 2 text
cut -c 1-3 text
sort text
sort --parallel=4 -r text
uniq -c text
tr a-z A-Z
fold -w 5 text
expand text
paste text text
join text text
comm text text
od -c text
base64 text
cksum text
md5sum text
sha1sum text
sha256sum text
b2sum text
shuf -n 0 text
split -n 2 text part
ls -1
ls /no-such-directory
cat no-such-file
stat -c %s text
du -a --apparent-size text
test -e text
find . -name text
grep -n b text
grep -c zzz text
sed s/a/b/ text
awk {print(NR,$0)} text
diff text text
cmp text other
xargs -n 1 echo
tar cf archive.tar text
gzip -c text
bzip2 -c text
xz -T4 -c text
zstd -T4 -q -c text
perl -e print(join(\",\",1..9))
python3 -c print(sum(range(10)))
python3 -c import(threading)
sh -c exit(3)
bash -c echo(1)
git --version
git hash-object text
sqlite3 :memory: select(1+1);
openssl version
gcc --version
make --version
getconf PAGE_SIZE
locale -a
file text
bc --version
xxd text
";

const TEXT: &str = "apple\nbanana\ncherry\napple pie\n\tend\n";

#[test]
fn bystanders_do_what_they_do() {
    let files = [("text", TEXT), ("other", "apple\n")];
    let mut compared = 0;
    for line in COMMANDS.lines().filter(|line| !line.is_empty()) {
        let program = line.split(' ').next().unwrap_or_default();
        if !crate::support::exists(program) {
            continue;
        }
        let (native, recorded) = (Scratch::with(&files), Scratch::with(&files));
        let expected = native.run(line);
        let ran = recorded.run(&format!("foretrace record -o out.ft -- {line}"));
        let plain = |text: String| text.lines().filter(|line| !line.starts_with("foretrace: ")).count();
        if !line.starts_with("ls") && !line.starts_with("find") {
            assert_eq!(ran.out(), expected.out(), "{line}");
        }
        assert_eq!((ran.code(), plain(ran.err())), (expected.code(), plain(expected.err())), "{line}: {}", ran.err());
        compared += 1;
    }
    assert!(compared >= 60, "only {compared} of the programs are here");
}
