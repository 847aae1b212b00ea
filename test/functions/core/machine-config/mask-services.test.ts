import { describe, expect, test } from 'vitest';
import { maskLines } from '../../../../functions/core/machine-config/mask.ts';
import { isSecretFile } from '../../../../functions/core/machine-config/secret-file.ts';
import { adding, predict } from '../../preview-changes/pull-world.ts';

const word = 'hunter2';

/** Each spelling of a secret, and beside it what must stay readable. */
const spellings: Readonly<Record<string, { readonly hidden: readonly string[]; readonly shown: readonly string[] }>> = {
  'storage, SNMP and the network': {
    hidden: [
      `iscsiadm -m node -T iqn.2020-01.a:b \\\n  -o update \\\n  -n node.session.auth.password \\\n  -v ${word}`,
      `iscsiadm -o update -n discovery.sendtargets.auth.password_in --value=${word}`,
      `authCommunity log,execute,net ${word}`,
      `defCommunity ${word}`,
      `proxy -v 2c -c ${word} 10.0.0.1 .1.3.6.1`,
      `proxy -Cn ctx -v 1 -c ${word} host .1`,
      `radius-server key ${word}`,
      `radius-server host 10.0.0.1 key ${word}`,
      `tacacs-server key ${word}`,
      `//s/x /mnt cifs user=bob%${word},rw 0 0`,
      `mount.cifs //s/x /m -o username=dom/bob%${word}`,
      `net ads join -U admin%${word} -S dc`,
      `cache_peer p parent 3128 0 no-query login=bob:${word}`,
      `[ProxyList]\nhttp 10.0.0.1 8080 bob ${word}`,
      `socks5 proxy.example.com 1080 bob ${word}`,
      `rhc connect -a ${word} -o 1`,
      `racadm -r bmc -u root -p ${word} get`,
    ],
    shown: [
      'iscsiadm -m node -o update \\\n  -n node.startup \\\n  -v automatic',
      'authtrapenable 1',
      'defVersion 2c',
      'proxy: enabled',
      'proxy -h',
      'radius-server timeout 5',
      'radius-server host 10.0.0.1 timeout 5',
      '//s/x /mnt cifs user=bob,rw 0 0',
      'url=https://example.com/?user=bob%40example.com',
      'net ads info -U admin',
      'cache_peer p parent 3128 0 login=PASSTHRU',
      'cache_peer p parent 3128 0 login=NEGOTIATE:host',
      'http 10.0.0.1 8080',
      'http 10.0.0.1 8080 # the proxy of the site',
      'rhc status',
      'racadm -r bmc getsysinfo',
    ],
  },
  'a header or a variable of a server': {
    hidden: [
      `    Header X-Api-Key ${word}`,
      `proxy_set_header X-Api-Key "${word}";`,
      `  proxy_set_header Authorization ${word};`,
      `RequestHeader set X-Api-Key "${word}"`,
      `SetEnv DB_PASSWORD ${word}`,
      `fastcgi_param DB_PASSWORD ${word};`,
      `  http-request set-header X-Api-Key ${word}`,
      `  http-request add-header Authorization Basic\\ ${word}`,
      `  http-check send meth GET uri / hdr X-Api-Key ${word}`,
      `echo "auth_pass ${word}" >> /etc/keepalived/keepalived.conf`,
      `  printf '    smtp_password ${word}\\n' >> /etc/a`,
      `vrrp_instance V { authentication { auth_type PASS auth_pass ${word} } }`,
    ],
    shown: [
      'proxy_set_header Host $host;',
      'proxy_set_header Cookie $http_cookie;',
      'proxy_set_header Authorization "";',
      'proxy_set_header X-Forwarded-For "1.2.3.4";',
      'proxy_pass_header Authorization;',
      'Header always set X-Frame-Options DENY',
      'Header unset Authorization',
      'SetEnv LANG C',
      'SetEnvIf Request_URI a b',
      '  http-request set-header X-Forwarded-Proto https',
      '  http-request set-header X-Auth-User %[src]',
      '  acl a hdr(host) -i token.example.com',
    ],
  },
  'an option or a name behind another sign': {
    hidden: [
      `OPTIONS=--api-key ${word} --verbose`,
      `PodmanArgs=--creds bob:${word}`,
      `rootpw=${word}`,
      `DBPW=${word}`,
      `olcRootPW: ${word}`,
      `os.environ["DB_PASSWORD"] = "${word}"`,
      `PASSWORDS[bob]=${word}`,
      `PASSWORD+=${word}`,
      `$cfg{password} = "${word}";`,
      `$cfg->{"password"} = "${word}";`,
      `cfg.set("db", "password", "${word}")`,
      `define("DB_PASSWORD", "${word}");`,
      `define( 'DB_PASSWORD', '${word}' );`,
      `os.getenv("DB_PASSWORD", "${word}")`,
      `destination d { http(user("bob") password("${word}")); };`,
      `set_password("${word}")`,
    ],
    shown: [
      'OPTIONS=--verbose --level debug',
      'PodmanArgs=--cpus 2',
      'getpwnam=a',
      'os.environ["LANG"] = "C"',
      'NAMES[bob]=a',
      'NAME+=a',
      '$cfg{name} = "a";',
      'cfg.set("db", "host", "a")',
      'define("DEBUG", "1");',
      'open("token.txt", "rb")',
      'os.getenv("DB_PASSWORD", "")',
      'resources: ["secrets", "configmaps"]',
      `echo "\${TOKEN}: a"`,
      'password(field)',
    ],
  },
  'an option directly behind another one': {
    hidden: [
      `skopeo copy --all --src-creds bob:${word} docker://a docker://b`,
      `skopeo inspect --raw --creds bob:${word} docker://quay.io/a`,
      `podman pull --quiet --creds "bob:${word}" quay.io/acme/app`,
      `podman pull -q --creds bob:${word} quay.io/acme/app`,
      `subscription-manager register --force --activationkey ${word} --org 1`,
      `rhc connect --verbose --activation-key ${word} --organization 1`,
      `tailscale up --ssh --auth-key ${word}`,
      `tool -v --pin ${word}`,
      `tool --debug --bindpw ${word}`,
      `keytool -importcert -storepass ${word} -file a`,
      `Environment="OPTS=--debug --api-key ${word}"`,
      `Environment=OPTS=-d -api-key ${word}`,
      `ExecStart=/usr/bin/agent --tls --api-key ${word} --host x`,
      `ExecStart=/usr/bin/agent --remote.api-key ${word}`,
      `ExecStart=/usr/bin/agent "--api-key" "${word}"`,
      `ExecStart=/usr/bin/agent '--debug' '--api-key' '${word}'`,
      `ExecStart=/usr/bin/agent \\\n  --verbose --api-key ${word} \\\n  -x`,
      `args:\n- --remote.api-key\n- ${word}`,
      `net-snmp-create-v3-user -ro -authpass ${word} -privpass ${word} bob`,
    ],
    shown: [
      'skopeo copy --all --src-tls-verify=false docker://a docker://b',
      'tailscale up --ssh --hostname a',
      'if [ "$1" = "--password" ]; then',
      'case "$1" in "--token") shift ;; esac',
      '[ "$1" = "--token" ] && [ -n "$2" ]',
      'echo "--token" | cat',
    ],
  },
  'a short option of a program, and what it reads': {
    hidden: [
      `pk12util -W "${word}" -i /etc/pki/certs/left_server.p12 -d /var/lib/ipsec/nss/`,
      `pk12util -W "my ${word}" -i a.p12`,
      `pk12util -i a.p12 -d sql:/var/lib/ipsec/nss -W ${word} -K ${word}`,
      `subprocess.run(["pk12util", "-W", "my ${word}", "-i", "a.p12"])`,
      `ExecStart=/usr/bin/pk12util "-W" "${word}" -i a.p12`,
      `mysql -u root -p"my ${word}" a`,
      `ldapsearch -x -w 'my ${word}' -D cn=admin`,
      `ssh-keygen -t ed25519 -N ${word} -f /root/.ssh/id`,
      `ssh-keygen -p -P '${word}' -N "my ${word}" -f a`,
      `kdb5_util create -s -P ${word}`,
      `tpm2_unseal -c a.ctx -p ${word}`,
      `net-snmp-create-v3-user -ro -A ${word} -a SHA -X ${word} -x AES bob`,
      `net-snmp-config --create-snmpv3-user -ro -A ${word} -X ${word} bob`,
      `OPTIONS="-v2c -c ${word}"`,
      `OPTIONS=-v 2c -c ${word}`,
      `nvme connect -t tcp -n nqn -S DHHC-1:00:${word}:`,
      `echo ${word} | sss_obfuscate -s -d x`,
      `ExecStart=/usr/bin/sss_obfuscate -s -d x <<< ${word}`,
      `printf "${word}\\n${word}\\n" | grub2-setpassword`,
      `printf "${word}\\n${word}\\n" | grub2-mkpasswd-pbkdf2`,
      `newusers <<EOF\nbob:${word}:1:1::/:/bin/sh\nEOF\necho done`,
      `echo "bob:${word}:1:1::/:/bin/sh" | newusers`,
      `kpasswd bob <<< ${word}`,
      `echo ${word} | wg pubkey`,
      `wg set wg0 private-key <(echo ${word})`,
      `podman login -u bob --password-stdin quay.io < <(echo ${word})`,
      `echo ${word} > /root/keyfile`,
    ],
    shown: [
      'pk12util -i a.p12 -d sql:/var/lib/ipsec/nss -W ""',
      `pk12util -W '' -i a.p12`,
      `certutil -A -n "CA" -t "CT,C,C" -d /var/lib/ipsec/nss/ -i ca.pem`,
      `ssh-keygen -t ed25519 -N '' -f /root/.ssh/id`,
      'ssh-keygen -lf /etc/ssh/a.pub',
      'tpm2_unseal -c a.ctx -p pcr:sha256:7',
      'net-snmp-config --version',
      'OPTIONS="-v4 -c /etc/a.conf"',
      'wg set wg0 listen-port 51820',
      'podman login -u bob --password-stdin quay.io < <(cat /run/a)',
      'echo done > /root/keyfiles.log',
    ],
  },
  'a user with a colon, as curl has it in a file': {
    hidden: [
      `proxy-user = "bob:${word}"`,
      `user = "bob:${word}"`,
      `user = bob:${word}`,
      `user: bob:${word}`,
      `user bob:${word}`,
      `# proxy-user bob:${word}  `,
      `-u bob:${word}`,
      `--proxy-user bob:${word}`,
      `CURL_OPTS="-u bob:${word}"`,
      `curl -sK - https://x <<< 'user = "bob:${word}"'`,
      `Environment=ETCDCTL_USER=root:${word}`,
    ],
    shown: [
      'user: "1000:1000"',
      'user = 1000:1000',
      'user: system:node:a',
      'user = bob',
      'user bob on',
      'User=core',
      'url = "https://a:8443/"',
      'OPTIONS="-u chrony"',
      'OPTIONS="-u 1000:1000"',
      'OPTIONS="-u ntp:ntp"',
    ],
  },
  'a name whose word is within another one': {
    hidden: [
      `snmpCommunity: ${word}`,
      `communityString: ${word}`,
      `readCommunity: ${word}`,
      `rocommunity=${word}`,
      `basicAuth: bob:${word}`,
      `basicAuth:\n  user: bob\n  word: ${word}`,
      `proxyAuth = bob:${word}`,
      `socat - PROXY:p:h:1,proxyport=3128,proxyauth=bob:${word}`,
      `authString: ${word}`,
      `srcCreds: bob:${word}`,
      `userPin: ${word}`,
      `NEWPIN=${word} systemd-cryptenroll --tpm2-with-pin=yes /dev/sda`,
      `nmcli con modify v vpn.secrets "pskvalue=${word}"`,
      `macsec:\n  mka-cak: ${word}\n  mka-ckn: aa`,
      `nmcli con modify x macsec.mka-cak ${word}`,
      `nmcli con modify x wifi-sec.wep-key0 ${word}`,
      `action(\n  type="omhttp"\n  httpheaderkey="Authorization"\n  httpheadervalue="Splunk ${word}"\n)`,
      `$ActionOmrelpPassword ${word}`,
      `{"passwords": [\n  "${word}",\n  "${word}"\n]}`,
      `password = """\n${word}"""`,
      `password = '''\n${word}\n'''`,
    ],
    shown: [
      'communityName: a',
      'StreamDriverAuthMode="x509/name"',
      'dropin: a',
      'mapping=a',
      'cakes: a',
      'type="omhttp"',
      'net.ipv4.tcp_syncookies = 1',
      'net.ipv4.tcp_syncookies=1',
      'PrivateTmp=true',
      'PrivateDevices=yes',
      'PassCredentials=yes',
      '-a always,exit -F arch=b64 -S openat -F exit=-EACCES -F key=access',
      '-a always,exit -F path=/usr/bin/passwd -F perm=x -F auid>=1000 -F auid!=unset -F key=privileged',
      '-w /var/log/lastlog -p wa -k logins',
      'ConditionPathIsMountPoint=/var/lib/a',
      'ConditionFileIsExecutable=/usr/bin/a',
      'ConditionKernelCommandLine=!ignition.firstboot',
      'KUBELET_EXTRA_ARGUMENTS_X="--v=4"',
      'DefaultNetstreamDriverCAFile="/etc/a"',
      `description = """\na"""\nlevel = 1`,
    ],
  },
  'what is still hidden beside them': {
    hidden: [
      `curl -F key=${word} https://a`,
      `-a always,exit -F key=access; API_KEY=${word}`,
      `PrivateKey=${word}`,
      `PrivateTmpPassword=${word}`,
      `net.ipv4.tcp_fastopen_key=${word}`,
    ],
    shown: [],
  },
  'what is read from a here document': {
    hidden: [
      `read -r PASSWORD <<EOF\n${word}\nEOF\necho done`,
      `PASSWORD=$(cat <<EOF\n${word}\nEOF\n)\necho done`,
      `DB_PASSWORD="$(cat <<'EOF'\n${word}\nEOF\n)"\necho done`,
      `read -r -s TOKEN <<< ${word}`,
    ],
    shown: ['read -r NAME <<EOF\na\nEOF', 'TEXT=$(cat <<EOF\na\nEOF\n)', 'read -r -p b NAME <<< a'],
  },
  'a pair or an element': {
    hidden: [
      `<property name="db.password" value="${word}"/>`,
      `<property value="${word}" name="db.password"/>`,
      `<property name="db.password">${word}</property>`,
      `<property>\n  <name>db.password</name>\n  <value>${word}</value>\n</property>`,
      `<property>\n  <name>db.password</name>\n  <description>a</description>\n  <value>\n    ${word}\n  </value>\n</property>`,
      `<property><name>db.password</name><value>${word}</value></property>`,
      `<auth-user-pass>\nbob\n${word}\n</auth-user-pass>\necho done`,
      `write_files:\n- path: /root/.pgpass\n  content: |\n    h:5432:*:bob:${word}\necho done`,
      `write_files:\n- content: ${word}\n  path: /root/.pgpass`,
    ],
    shown: [
      '<property name="db.host" value="a"/>',
      '<property name="db.host">a</property>',
      '<property>\n  <name>db.host</name>\n  <value>a</value>\n</property>',
      '<property>\n  <name>db.password</name>\n</property>\n<property>\n  <name>a</name>\n  <value>b</value>\n</property>',
      '<ca>\na\n</ca>',
      'write_files:\n- path: /etc/motd\n  content: |\n    welcome',
      '- path: /root/.pgpass\n- path: /etc/motd\n  content: a',
    ],
  },
};

describe.each(Object.entries(spellings))('[S1-15] [N-29] %s', (_, { hidden, shown }) => {
  test.each(hidden)('is masked in %j', (text) => {
    const all = maskLines(text);

    expect(all.join('\n')).not.toContain(word);
    expect(all).toHaveLength(text.split('\n').length);
    if (text.endsWith('echo done')) expect(all.at(-1)).toBe('echo done');
  });

  test.each(shown)('is not seen in %j', (text) => {
    expect(maskLines(text).join('\n')).toBe(text);
  });
});

describe('[S1-15] behind a sign each of these names says that its value is secret', () => {
  test.each([
    ...[
      'pass',
      'passwd',
      'DB_PASSWORDS',
      'passphrase',
      'mypassw',
      'secret',
      'token',
      'creds',
      'sig',
      'api-key',
      'private',
    ],
    ...[
      'credential',
      'psk',
      'wifi.psk1',
      'wep0',
      'auth',
      '_auth',
      'authorization',
      'bearer',
      'cookie',
      'session',
      'salt',
    ],
    ...['signature', 'pwd', 'pin', 'otp', 'seed', 'community', 'a.key1', 'pw', 'dbpw2', 'tlsKey', 'myPwd', 'bindpw'],
    ...['connectionString', 'dsn', 'webhook', 'activation_key', 'stringData'],
  ])('%s', (name) => {
    expect(maskLines(`${name} = ${word}`).join('\n')).not.toContain(word);
    expect(maskLines(`${name} = ${word}`)).toEqual([expect.stringMatching(/\[(?:masked|removed)\]$/)]);
    expect(maskLines(`${name}:\n  a: ${word}\nb: c`).join('\n')).not.toContain(word);
  });
});

test('[S1-15] a value that is missing hides no name from the lines below it', () => {
  expect(maskLines(`  - --token\npasswords:\n- ${word}`).join('\n')).not.toContain(word);
});

const secret = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  db: ${word}\n`;

describe('[S1-15] a file is secret as a whole', () => {
  test.each([
    ['/etc/zabbix/agent.psk', `${word}\n`],
    ['/root/luks.pass', `${word}\n`],
    ['/etc/pacemaker/authkey', `${word}\n`],
    ['/root/keyfile', `${word}\n`],
    ['/etc/keyfile', `${word}\n`],
    ['/etc/crypto_keyfile.bin', `${word}\n`],
    ['/etc/luks-keys/data', `${word}\n`],
    ['/etc/pki/nssdb/pwdfile.txt', `${word}\n`],
    ['/etc/chrony/keys', `1 ${word}\n`],
    ['/etc/bmc-creds', `bob:${word}\n`],
    ['/root/.bindpw', `${word}\n`],
    ['/etc/agent/license_key', `${word}\n`],
    ['/etc/nvme/hostkey', `${word}\n`],
    ['/etc/racoon/psk.txt', `10.0.0.1 ${word}\n`],
    ['/var/lib/rabbitmq/.erlang.cookie', `${word}\n`],
    ['/etc/pam_radius_auth.conf', `10.0.0.1:1812 ${word} 3\n`],
    ['/etc/pgbouncer/userlist.txt', `"bob" "${word}"\n`],
    ['/etc/kubernetes/manifests/a.yaml', secret],
    ['/etc/kubernetes/manifests/b.yaml', `kind: ConfigMap\n---\n${secret}`],
    ['/etc/kubernetes/manifests/c.json', `{"kind": "Secret", "data": {"db": "${word}"}}`],
  ])('%s', async (path, text) => {
    const { comment } = await predict({ files: adding('99-worker-x', [{ path, text }]) });

    expect(comment).toContain(path);
    expect(comment).not.toContain(word);
  });

  test.each([
    ['/etc/agent.pass.conf', 'a\n'],
    ['/etc/userlist.conf', 'a\n'],
    ['/etc/NetworkManager/conf.d/keyfile.conf', '[keyfile]\n'],
    ['/etc/chrony.d/pool.conf', 'a\n'],
    ['/etc/bypass', 'a\n'],
    ['/etc/ssh/a.pub', 'a\n'],
    ['/etc/kubernetes/manifests/a.yaml', 'kind: SecretProviderClass\ndata:\n  a: b\n'],
    ['/etc/kubernetes/manifests/b.yaml', 'kind: ConfigMap\ndata:\n  kind: a\n'],
    ['/etc/kubernetes/manifests/c.yaml', 'kind: Role\nrules:\n- resources: [secrets]\n'],
    ['/usr/local/bin/rotate-creds', '#!/bin/sh\nA=1\n'],
    ['/usr/local/sbin/gen-host-key', '#!/bin/sh\nA=1\n'],
    ['/usr/local/bin/check-pass', '#!/bin/sh\nA=1\n'],
    ['/etc/luks-scripts/open.sh', '#!/bin/sh\nA=1\n'],
    ['/etc/wireguard/up.py', '#!/bin/sh\nA=1\n'],
  ])('%s is not', (path, text) => {
    expect(isSecretFile(path, text)).toBe(false);
  });
});
