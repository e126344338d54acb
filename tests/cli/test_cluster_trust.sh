#!/bin/bash
# Clusters that ask who is there: users and passwords, NKEYs, TLS with certificates on both sides. Who is known is served;
# who is not is told so in one line (exit 66).
. "$(dirname "$0")/cluster_lib.sh"
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip - client libraries are not ours to sanitize: clusters"; exit 0; fi
has_nats || exit 0
mkdir histories
for i in 1 2 3; do "$PLUMB" generate --object queue --ops 50 --threads 2 --seed "$i" >"histories/h$i.jsonl" 2>/dev/null; done
"$PLUMB" check -q histories >local.txt 2>/dev/null
port=$(free_port)

served() { # name url options of all sides
    local name=$1 url=$2 own
    shift 2
    start_worker "$url" "$@"
    own=$worker
    plumb check -q --cluster "$url" "$@" histories
    exits "$name: histories are judged" 0
    ok "$name: as by one process" "$(cmp -s local.txt "$SCRATCH/out"; echo $?)"
    kill $own
    wait $own 2>/dev/null
}
refused() { # name url options
    local name=$1 url=$2
    shift 2
    plumb workers --cluster "$url" "$@"
    exits "$name is refused" 66
    one_line "$name: in one line" err
}
serve() { # name: with the options in name.conf
    start_nats "$port" "$SCRATCH/$1" -c "$1.conf"
}
end_nats() { kill $nats; wait $nats 2>/dev/null; }

# ---- users and passwords ----
cat >users.conf <<'C'
authorization { users = [ { user: plumb, password: open-sesame } ] }
C
serve users
export PLUMB_CLUSTER_PASSWORD=open-sesame
served "a user with a password" "nats://127.0.0.1:$port" --cluster-user plumb
unset PLUMB_CLUSTER_PASSWORD
served "a user in the URL" "nats://plumb:open-sesame@127.0.0.1:$port"
refused "who has no name" "nats://127.0.0.1:$port"
PLUMB_CLUSTER_PASSWORD=wrong refused "who has another password" "nats://127.0.0.1:$port" --cluster-user plumb
end_nats

# ---- NKEYs: a seed and its public key, as `nk -gen user -pubout` prints them ----
make_key() { # two lines
    python3 - <<'PY' 2>/dev/null
import base64, os
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives import serialization as s
def crc(data):
    c = 0
    for b in data:
        c ^= b << 8
        for _ in range(8): c = (c << 1 ^ 0x1021 if c & 0x8000 else c << 1) & 0xffff
    return c.to_bytes(2, "little")
def word(data): return base64.b32encode(data + crc(data)).decode().rstrip("=")
seed, user = os.urandom(32), 20 << 3
public = ed25519.Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes(s.Encoding.Raw, s.PublicFormat.Raw)
print(word(bytes([18 << 3 | user >> 5, (user & 31) << 3]) + seed))
print(word(bytes([user]) + public))
PY
}
if make_key >known.nk && make_key >other.nk; then
    printf 'authorization { users = [ { nkey: %s } ] }\n' "$(tail -1 known.nk)" >nkeys.conf
    serve nkeys
    served "an NKEY" "nats://127.0.0.1:$port" --cluster-credentials known.nk
    refused "another NKEY" "nats://127.0.0.1:$port" --cluster-credentials other.nk
    refused "a file that is none" "nats://127.0.0.1:$port" --cluster-credentials users.conf
    end_nats
else
    echo "skip - no python3 with cryptography: NKEYs"
fi

# ---- TLS ----
if command -v openssl >/dev/null; then
    authority() { # name
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -out "$1.pem" -days 2 -subj "/CN=$1" 2>/dev/null
    }
    signed() { # name authority
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$1" 2>/dev/null
        openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days 2 -out "$1.pem" \
            -extfile <(echo "subjectAltName=IP:127.0.0.1,DNS:localhost") 2>/dev/null
    }
    authority ours
    authority theirs
    signed server ours
    signed client ours
    signed stranger theirs
    printf 'tls { cert_file: "%s/server.pem", key_file: "%s/server.key", ca_file: "%s/ours.pem", verify: true }\n' "$PWD" "$PWD" "$PWD" >tls.conf
    serve tls
    served "TLS" "tls://127.0.0.1:$port" --cluster-ca ours.pem --cluster-certificate client.pem --cluster-key client.key
    refused "a server of an authority that is not trusted" "tls://127.0.0.1:$port" --cluster-ca theirs.pem --cluster-certificate client.pem --cluster-key client.key
    refused "a client of another authority" "tls://127.0.0.1:$port" --cluster-ca ours.pem --cluster-certificate stranger.pem --cluster-key stranger.key
    refused "who has no certificate" "tls://127.0.0.1:$port" --cluster-ca ours.pem
    end_nats
else
    echo "skip - no openssl: TLS"
fi
finish
