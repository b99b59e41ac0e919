/** The multicodec table by tag (go-multicodec 0.9.0): codes in hexadecimal, each with its name. */
export const MULTICODECS: Readonly<Record<string, string>> = {
  multihash: `
    0 identity 11 sha1 12 sha2-256 13 sha2-512 14 sha3-512 15 sha3-384 16 sha3-256 17 sha3-224 18 shake-128 19 shake-256
    1a keccak-224 1b keccak-256 1c keccak-384 1d keccak-512 1e blake3 20 sha2-384 56 dbl-sha2-256 d4 md4 d5 md5
    1012 sha2-256-trunc254-padded 1013 sha2-224 1014 sha2-512-224 1015 sha2-512-256 1052 ripemd-128 1053 ripemd-160 1054 ripemd-256
    1055 ripemd-320 1100 x11 1d01 kangarootwelve 534d sm3-256 b401 poseidon-bls12_381-a2-fc1 b402 poseidon-bls12_381-a2-fc1-sc
    b502 ssz-sha2-256-bmt
  `,
  cid: `1 cidv1 2 cidv2 3 cidv3`,
  multiaddr: `
    4 ip4 6 tcp 21 dccp 29 ip6 2a ip6zone 2b ipcidr 35 dns 36 dns4 37 dns6 38 dnsaddr 84 sctp 111 udp 113 p2p-webrtc-star
    114 p2p-webrtc-direct 115 p2p-stardust 118 webrtc-direct 119 webrtc 122 p2p-circuit 12d udt 12e utp 190 unix 196 thread 1a5 p2p
    1bb https 1bc onion 1bd onion3 1be garlic64 1bf garlic32 1c0 tls 1c1 sni 1c6 noise 1cc quic 1cd quic-v1 1d1 webtransport
    1d2 certhash 1dd ws 1de wss 1df p2p-websocket-star 1e0 http 3f42 silverpine 706c61 plaintextv2
  `,
  hash: `22 murmur3-x64-64 23 murmur3-32 132 crc32 164 crc64-ecma 1022 murmur3-x64-128 b3e1 xxh-32 b3e2 xxh-64 b3e3 xxh3-64 b3e4 xxh3-128`,
  namespace: `
    2f path ce streamid e2 ipld e3 ipfs e4 swarm e5 ipns e6 zeronet e8 dnslink b19910 skynet-ns b29910 arweave-ns b39910 subspace-ns
    b49910 kumandra-ns
  `,
  multiformat: `30 multicodec 31 multihash 32 multiaddr 33 multibase ca caip-50 d1d multidid`,
  serialization: `
    50 protobuf 60 rlp 63 bencode 201 messagepack 202 car 300 ipns-record 400 car-index-sorted 401 car-multihash-index-sorted
    b501 ssz
  `,
  ipld: `
    51 cbor 55 raw 70 dag-pb 71 dag-cbor 72 libp2p-key 78 git-raw 7b torrent-info 7c torrent-file 81 leofcoin-block 82 leofcoin-tx
    83 leofcoin-pr 85 dag-jose 86 dag-cose 90 eth-block 91 eth-block-list 92 eth-tx-trie 93 eth-tx 94 eth-tx-receipt-trie
    95 eth-tx-receipt 96 eth-state-trie 97 eth-account-snapshot 98 eth-storage-trie 99 eth-receipt-log-trie 9a eth-reciept-log
    b0 bitcoin-block b1 bitcoin-tx b2 bitcoin-witness-commitment c0 zcash-block c1 zcash-tx d0 stellar-block d1 stellar-tx
    e0 decred-block e1 decred-tx f0 dash-block f1 dash-tx fa swarm-manifest fb swarm-feed fc beeson 129 dag-json 1f0 swhid-1-snp
    200 json b403 urdca-2015-canon b601 json-jcs
  `,
  key: `
    a0 aes-128 a1 aes-192 a2 aes-256 a3 chacha-128 a4 chacha-256 e7 secp256k1-pub ea bls12_381-g1-pub eb bls12_381-g2-pub
    ec x25519-pub ed ed25519-pub ee bls12_381-g1g2-pub ef sr25519-pub 1200 p256-pub 1201 p384-pub 1202 p521-pub 1203 ed448-pub
    1204 x448-pub 1205 rsa-pub 1206 sm2-pub 1300 ed25519-priv 1301 secp256k1-priv 1302 x25519-priv 1303 sr25519-priv 1305 rsa-priv
    1306 p256-priv 1307 p384-priv 1308 p521-priv eb51 jwk_jcs-pub
  `,
  libp2p: `301 libp2p-peer-record 302 libp2p-relay-rsvp 309 memorytransport`,
  transport: `900 transport-bitswap 910 transport-graphsync-filecoinv1 920 transport-ipfs-gateway-http`,
  encryption: `2000 aes-gcm-256`,
  softhash: `cc01 iscc`,
  zeroxcert: `ce11 zeroxcert-imprint-256`,
  varsig: `
    d000 varsig d0e7 es256k d0ea bls-12381-g1-sig d0eb bls-12381-g2-sig d0ed eddsa d191 eip-191 d01200 es256 d01201 es284
    d01202 es512 d01205 rs256
  `,
  filecoin: `f101 fil-commitment-unsealed f102 fil-commitment-sealed`,
  holochain: `
    807124 holochain-adr-v0 817124 holochain-adr-v1 947124 holochain-key-v0 957124 holochain-key-v1 a27124 holochain-sig-v0
    a37124 holochain-sig-v1
  `
}

/** Families of hashes whose codes follow each other, one for each eight bits of digest: family, first code, longest digest in bits. */
export const HASH_FAMILIES: ReadonlyArray<readonly [family: string, first: number, bits: number]> = [
  ['blake2b', 0xb201, 512],
  ['blake2s', 0xb241, 256],
  ['skein256', 0xb301, 256],
  ['skein512', 0xb321, 512],
  ['skein1024', 0xb361, 1024]
]
