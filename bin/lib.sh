# Sourced by the commands beside it: finds a JDK and Maven, and builds what a command runs.

# An exported one leads cd elsewhere, or makes it print where it went.
unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# With --help among the arguments of a command: prints what its first lines say, and ends it.
help_in_first_lines() {
    case " $* " in
        *" -h "* | *" --help "*)
            sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
            exit
            ;;
    esac
}

# Prints the feature version of the JDK in $1, such as 25; nothing if there is no compiler in it.
jdk_version() {
    [ -n "$1" ] && [ -x "$1/bin/javac" ] || return 0
    # One that does not run has no version: it may be for another kind of machine.
    "$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p' || true
}

# Prints the usual places of a JDK, one in each line.
jdk_places() {
    printf '%s\n' /usr/lib/jvm/* /opt/* "${HOME:-}"/.sdkman/candidates/java/* "${HOME:-}"/.jdks/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home
}

# Prints where the JDK of exactly version $1 is; nothing if there is none in the usual places.
jdk_home() {
    local home
    while IFS= read -r home; do
        if [ "$(jdk_version "$home")" = "$1" ]; then
            echo "$home"
            return
        fi
    done < <(jdk_places)
}

# Sets JAVA_HOME to a JDK of at least version $1: the one it names already, the one on the PATH, or the best
# in a usual place. Best is 25, on which this project is built every day, else the highest.
use_jdk() {
    local needed=$1 home version best_home='' best_version=0

    if command -v java >/dev/null; then
        home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.home = //p' || true)
    fi
    for home in "${JAVA_HOME:-}" "${home:-}"; do
        version=$(jdk_version "$home")
        if [ "${version:-0}" -ge "$needed" ]; then
            set_jdk "$home" "$version"
            return
        fi
    done

    while IFS= read -r home; do
        version=$(jdk_version "$home")
        if [ "${version:-0}" -ge "$needed" ] && [ "$best_version" != 25 ] \
            && { [ "$version" = 25 ] || [ "$version" -gt "$best_version" ]; }; then
            best_home=$home
            best_version=$version
        fi
    done < <(jdk_places)
    [ -n "$best_home" ] || fail "needs a JDK $needed or newer: install one (Temurin 25, say) or set JAVA_HOME to it."
    set_jdk "$best_home" "$best_version"
}

set_jdk() {
    export JAVA_HOME=$1
    export PATH="$JAVA_HOME/bin:$PATH"
    # A build is over before the second compiler has earned what it costs. What the caller asks for counts.
    export MAVEN_OPTS="-XX:TieredStopAtLevel=1 ${MAVEN_OPTS:-}"
    if [ "$2" -ge 24 ]; then
        # What Maven itself does with Unsafe and native code is nothing that we could change.
        export MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED ${MAVEN_OPTS:-}"
    fi
}

need_maven() {
    command -v mvn >/dev/null || fail "needs Maven 3.8.6 or newer: install it (Debian: apt-get install maven)."
}

need_etcd() {
    command -v etcd >/dev/null || fail "needs etcd: install it (Debian: apt-get install etcd-server etcd-client)."
}

need_redis() {
    command -v redis-server >/dev/null || fail "needs Redis: install it (Debian: apt-get install redis-server)."
}

# Debian has the programs of PostgreSQL in a folder for each version.
has_postgres() {
    local program
    for program in "$(type -P postgres || true)" /usr/lib/postgresql/*/bin/postgres /opt/homebrew/opt/postgresql/bin/postgres; do
        [ ! -x "$program" ] || return 0
    done
    return 1
}

# Prints the Python that has what makes the site: the one on the path, or that of the system.
sphinx_python() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import furo, myst_parser, sphinx' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

need_postgres() {
    has_postgres || fail "needs PostgreSQL: install it (Debian: apt-get install postgresql)."
}

# Whether the file $1 was built to the end and no pom, source or resource of any module is newer.
up_to_date() {
    local built=$1
    [ -e "$built" ] && [ -e "$built.complete" ] && [ -z "$(
        cd "$root" && find . \( -name target -o -name '.?*' \) -prune -o \
            -type f \( -name pom.xml -o -path '*src/main/*' \) -newer "$built.complete" -print | head -n 1
    )" ]
}

# Builds the file $1 by Maven, without checks and tests, with the arguments that follow. Where the caller has a function is_built, it
# is asked once more, since another build may have run meanwhile.
build() (
    file=$1
    shift
    need_maven
    mkdir -p "$root/target"
    waited=''
    lock=$root/target/build-lock
    mine=$lock.${BASHPID:-$$}
    process_of ${BASHPID:-$$} >"$mine"
    # In a shell of its own, for which the traps of the caller do not count.
    trap 'rm -f "$mine" "$mine.stale"; [ "${locked-}" = "" ] || rm -f "$lock"' EXIT
    # Two at once would write the same files. Who holds the lock is in it as soon as it is there, unlike in a folder.
    until ln "$mine" "$lock" 2>/dev/null; do
        break_lock_of_the_dead
        [ -n "$waited" ] || echo "Waiting for another build in this folder ($lock)" >&2
        waited=true
        sleep 0.2
    done
    locked=true
    if [ "$(type -t is_built)" = function ] && is_built; then
        exit
    fi
    # A build that is interrupted may leave a file that is not whole.
    rm -f "$file.complete"
    cd "$root"
    mvn -q -B -ntp -Dstyle.color=never -Dquick "$@" </dev/null >&2
    touch "$file.complete"
)

# The number of the process $1 and when it began, in words that are the same for each caller: numbers come again.
process_of() {
    echo "$1 $(TZ=UTC LC_ALL=C ps -o lstart= -p "$1" 2>/dev/null || true)"
}

# Removes $lock if its process was killed.
break_lock_of_the_dead() {
    local holder
    holder=$(cat "$lock" 2>/dev/null) || return 0
    if kill -0 "${holder%% *}" 2>/dev/null && [ "$(process_of "${holder%% *}")" = "$holder" ]; then
        return 0
    fi
    # Taken away first and read again: meanwhile another process may have done the same, and have the lock now.
    mv "$lock" "$mine.stale" 2>/dev/null || return 0
    [ "$(cat "$mine.stale")" = "$holder" ] || ln "$mine.stale" "$lock" 2>/dev/null || true
    rm -f "$mine.stale" "$lock.${holder%% *}"
}

# Builds the command whose module is verification/$1 if need be, and runs it with the remaining arguments. Its jar has the name $2.
run_packaged() {
    local module=verification/$1 jar=$root/verification/$1/target/$2.jar options=(--enable-native-access=ALL-UNNAMED)
    shift 2
    is_built() { [ -d "$(dirname "$jar")/libs" ] && up_to_date "$jar"; }
    if ! is_built; then
        echo "Building" >&2
        build "$jar" -Pzookeeper-server -pl "$module" -am package
    fi
    # What Protocol Buffers does with Unsafe is nothing that we could change.
    [ "$(jdk_version "$JAVA_HOME")" -lt 24 ] || options+=(--sun-misc-unsafe-memory-access=allow)
    exec "$JAVA_HOME/bin/java" "${options[@]}" -jar "$jar" "$@"
}

# What is measured or tried: the commit, and whether the tree has other changes.
this_commit() {
    git -C "$root" describe --always --dirty
}

# The version that all modules have.
this_version() {
    sed -n 's|^  <version>\(.*\)</version>$|\1|p' "$root/pom.xml" | head -n 1
}

# The folders of the modules that are published, those within others too: all, or those of the module $1.
published_modules() {
    local module
    sed -n 's|^ *<module>\(.*\)</module>$|\1|p' "$root/${1:-.}/pom.xml" | while read -r module; do
        module=${1:+$1/}$module
        if ! grep -q '<maven.deploy.skip>true<' "$root/$module/pom.xml"; then
            echo "$module"
            published_modules "$module"
        fi
    done
}

# The artifact of the module $1, whose pom may name a parent before it.
artifact_of() {
    sed '/<parent>/,/<\/parent>/d' "$root/$1/pom.xml" | sed -n 's|^  <artifactId>\(.*\)</artifactId>$|\1|p'
}

# The first block of the README in the language $1.
readme_block() {
    awk -v begin="\`\`\`$1" '$0 == begin { shown = 1; next } shown && /^```/ { exit } shown' "$root/README.md"
}
