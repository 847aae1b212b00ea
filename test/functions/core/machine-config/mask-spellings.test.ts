import { describe, expect, test } from 'vitest';
import { maskLines } from '../../../../functions/core/machine-config/mask.ts';

const word = 'hunter2';

/** What of a text may be read in a comment. */
const shownOf = (text: string) => maskLines(text).join('\n');

/** Each spelling of a secret, and beside it what must stay readable. */
const spellings: Readonly<Record<string, { readonly hidden: readonly string[]; readonly shown: readonly string[] }>> = {
  'what a program for passwords reads': {
    hidden: [
      `echo "core:${word}" | chpasswd`,
      `echo ${word} | sudo -n passwd --stdin core\necho done`,
      `echo ${word}|kinit`,
      `if echo ${word} | /usr/sbin/chpasswd; then`,
      `chpasswd <<< core:${word}`,
      `chpasswd <<<core:${word}`,
      `echo "core:${word}" |\n  chpasswd`,
      `printf '%s' ${word} | sudo -S dnf makecache`,
      `echo ${word} | podman login -u robot --password-stdin quay.io`,
      `echo ${word} \\\n  | podman login -u robot \\\n  --password-stdin quay.io`,
      `echo "${word}" | podman secret create db -`,
      `echo ${word} | clevis luks bind -d /dev/sda4 tang '{"url":"http://t"}'`,
      `clevis luks bind -k - -d /dev/sda4 tang '{}' <<< ${word}`,
      `echo a | podman login --password-stdin b; echo ${word} | podman login --password-stdin c`,
      `echo ${word} | su - root -c id`,
      `subprocess.run(['chpasswd'], input='core:${word}')`,
      `subprocess.run(["mysql", "-p${word}"])`,
      `command: ["ipmitool", "-P", "${word}", "status"]`,
      `useradd -p ${word} core`,
      `ipa-client-install -p admin -w ${word}`,
      `for u in a b; do\n  echo "$u:${word}"\ndone | chpasswd\necho done`,
      `{\n  echo core:${word}\n} | sudo chpasswd\necho done`,
    ],
    shown: [
      'echo done | tee log',
      'grep root /etc/passwd',
      'cat /etc/passwd | sort',
      '-w /etc/passwd -p wa',
      '-a always,exit -F path=/usr/bin/passwd -F perm=x -k privileged',
      'password    sufficient    pam_unix.so sha512 shadow',
      'cat /run/robot | podman login -u robot --password-stdin',
      "clevis luks bind -d /dev/sda4 tang '{}'",
      'sudo -u core touch /tmp/a | cat',
      'dnf install -y openssl',
      "# for the 'chpasswd' service",
      'echo done && restorecon -v /etc/passwd',
    ],
  },
  'a here document for such a program or a secret file': {
    hidden: [
      `chpasswd <<EOF\ncore:${word}\nEOF\necho done`,
      `sudo chpasswd <<-'EOF'\n\tcore:${word}\n\tEOF\necho done`,
      `cat <<EOF | chpasswd\ncore:${word}\nEOF\necho done`,
      `cat <<EOF |\ncore:${word}\nEOF\nchpasswd\necho done`,
      `cat > /etc/chrony.keys <<EOF\n1 SHA1 ASCII:${word}\nEOF\necho done`,
      `cat <<"EOF" >> /root/.pgpass\nhost:5432:*:bob:${word}\nEOF\necho done`,
      `tee -a /root/.pgpass >/dev/null <<EOF\nhost:5432:*:bob:${word}\nEOF\necho done`,
      `podman login -u robot --password-stdin \\\n  quay.io <<EOF\n${word}\nEOF\necho done`,
      `clevis luks bind -d /dev/sda4 tang '{}' <<EOF\n${word}\nEOF\necho done`,
      `chpasswd <<EOF\ncore:${word}\nroot:${word}`,
      `echo "host:5432:*:bob:${word}" > /root/.pgpass && chmod 600 /root/.pgpass\necho done`,
      `echo a > /root/.pgpass; echo ${word} > /etc/chrony.keys; echo b\necho done`,
      `echo "1 SHA1 ${word}" | tee /etc/chrony.keys\necho done`,
      `install -m 600 /dev/stdin /etc/chrony.keys <<EOF\n1 M ${word}\nEOF\necho done`,
      `>> /etc/chrony.keys printf '%s' ${word}\necho done`,
    ],
    shown: [
      'cat > /etc/chrony.conf <<EOF\nserver a iburst\nEOF\necho done',
      'cat <<EOF | tee /etc/motd\nwelcome\nEOF',
      'echo $(( 1 << 3 ))\necho done',
      'cp a /root/.pgpass\nchmod 600 /root/.pgpass',
      'echo a > /var/log/a.log',
    ],
  },
  'a command over several lines': {
    hidden: [
      `podman login \\\n  -u robot \\\n  -p ${word} \\\n  registry.example.com`,
      `ExecStart=/usr/bin/ipmitool -I lanplus -H bmc \\\n  -U root -P ${word} chassis status`,
      `ExecStart=/usr/bin/ipmitool -H bmc \\\n# the controller\n  -U root -P ${word} chassis status`,
      `ipmitool -H bmc -P \\\n  ${word} chassis status`,
      `openssl enc -aes-256-cbc \\\n  -k ${word} \\\n  -in a`,
      `tool \\\n  --password \\\n  ${word}`,
      `  - --password\n  - ${word}`,
      `args: [\n  "--password",\n  "${word}"\n]`,
      `command: ["tool", "--password", "${word}"]`,
      `curl -k \\\n  -u admin:${word} \\\n  https://bmc`,
    ],
    shown: [
      'mkdir \\\n  -p /var/lib/a \\\n  /var/lib/b',
      'podman run --rm \\\n  -p 3306:3306 \\\n  quay.io/a/b',
      'tool \\\n  --anonymous-auth \\\n  --port 8080',
      '  - --anonymous-auth\n  - --port=1',
      'ExecStart=systemd-firstboot --prompt-root-password\nStandardOutput=tty',
      'tool \\\n  --verbose \\\n  debug',
    ],
  },
  'a pair of name and value': {
    hidden: [
      `env:\n- name: DB_PASSWORD\n  value: ${word}\n- name: A\n  value: b`,
      `env:\n- value: "${word}"\n  name: DB_PASSWORD`,
      `- name: "DB_PASSWORD"\n  value: |\n    ${word}\n    ${word}`,
      `-   name: DB_PASSWORD\n    # why\n    value: >-\n      ${word}`,
      `env: [{"name":"DB_PASSWORD","value":"${word}"},{"name":"A","value":"b"}]`,
      `{"value":"${word}","name":"DB_PASSWORD"}`,
      `- {name: DB_PASSWORD, value: ${word}}`,
      `- {value: '${word}', name: 'DB_PASSWORD'}`,
      `  {\n    "name": "DB_PASSWORD",\n    "value": "${word}"\n  }`,
      `  {\n    "value": "${word}",\n    "name": "DB_PASSWORD"\n  }`,
      `{"Key": "api_token", "Value": "a\\"${word}"}`,
    ],
    shown: [
      'env:\n- name: LOG_LEVEL\n  value: debug',
      '- name: DB_PASSWORD\n  valueFrom:\n    fieldRef:\n      fieldPath: a',
      '- name: DB_PASSWORD\n- name: LOG_LEVEL\n  value: debug',
      '- value: debug\n  name: LOG_LEVEL\n- name: DB_PASSWORD',
      '{"name":"LOG_LEVEL","value":"debug"}',
      'metadata:\n  name: db-password\nspec:\n  value: 1',
    ],
  },
  'a name and a value with a blank between': {
    hidden: [
      `    auth_pass ${word}`,
      `    HTTP_Passwd ${word}`,
      `Splunk_Token ${word}`,
      `api_key ${word}`,
      `set api_key ${word}`,
      `user_password\t${word}`,
      `client_secret ${word};`,
      `secret_key ${word}`,
      `bindpw ${word}`,
      `rootpw ${word}`,
      `bindPassword ${word}`,
      `# auth_pass ${word}`,
      `nmcli con modify wg0 wireguard.private-key ${word}`,
    ],
    shown: [
      'token_bucket 5',
      'CloudCredential provides a means',
      'key value',
      'net.ipv4.tcp_fastopen_blackhole_timeout_sec 0',
      'PasswordAuthentication no',
      'PermitEmptyPasswords no',
      'auth required pam_unix.so',
      'auth_pass_through on',
      'proxy_pass http://backend;',
      'ssl_certificate_key /etc/pki/a.pem;',
      'private_key /etc/pki/a.pem',
      'Merge_Log_Key log',
      'Time_Key @timestamp',
      'user_password required',
      'sudo -u core bypass it',
    ],
  },
  'a user with the password behind a colon': {
    hidden: [
      `curl -sku admin:${word} https://bmc/redfish/v1`,
      `curl -su 'admin:${word}' https://bmc`,
      `curl -uadmin:${word} https://bmc`,
      `curl --user=admin:${word} https://bmc`,
      `curl -U admin:${word} -x proxy:3128 https://bmc`,
      `curl -u "admin:a ${word}" https://bmc`,
      `etcdctl --user root:${word} get /`,
      `  stats auth admin:${word}`,
    ],
    shown: [
      'curl -sS -o file https://example.com:8443/a',
      'curl -fsSLO https://example.com:8443/a',
      'curl -XPUT https://example.com:8443/a',
      'set -u',
      'sudo -u core ls',
      'podman run -u 1000:1000 a',
      'rsync -au host:/a /b',
      'stats uri /haproxy?stats',
    ],
  },
  'a word of the network': {
    hidden: [
      `com2sec notConfigUser  default  ${word}`,
      `com2sec6 -Cn ctx notConfigUser default ${word}`,
      `trapcommunity ${word}`,
      `trap2sink 10.0.0.1 ${word} 162`,
      `trapsink 10.0.0.1 ${word}`,
      `informsink 10.0.0.1 ${word}`,
      `rocommunity6 ${word} default`,
      `rwcommunity ${word}`,
      ` ip ospf message-digest-key 1 md5 ${word}`,
      ` ip ospf authentication-key ${word}`,
      `  key-string ${word}`,
      ` ip rip authentication string ${word}`,
    ],
    shown: [
      'group notConfigGroup v2c notConfigUser',
      'authtrapenable 1',
      'trap2sink 10.0.0.1',
      ' ip ospf authentication message-digest',
      ' key chain a',
      ' key 1',
      'syslocation here',
    ],
  },
  'a list below its name': {
    hidden: [
      `passwords:\n- ${word}\n- ${word}`,
      `- name: a\n  passwords:\n  - ${word}`,
      `PASSWORDS=(\n${word}\n${word}\n)`,
      `declare -a PASSWORDS=(\n${word}\n)`,
      `PASSWORDS=(a\n${word})`,
      `passwords = [\n"${word}",\n]`,
      `PW1="a\n${word}"`,
      `PW1=${word}`,
      `PSK_1=${word}`,
      `passwords: ["a",\n  "${word}"]`,
      `password: !vault |\n  ${word}`,
      `password: &anchor\n  ${word}`,
      `export KEY1=${word}`,
      `subscription-manager register --org=1 --activationkey=${word}`,
    ],
    shown: [
      'webhooks:\n- name: a\n  failurePolicy: Fail',
      'servers:\n- a\n- b',
      'NAMES=(\na\nb\n)',
      'KEYMAP=us',
      'log_level: value',
      'pipeline: a',
    ],
  },
};

describe.each(Object.entries(spellings))('[S1-15] [N-29] %s', (_, { hidden, shown }) => {
  test.each(hidden)('is masked in %j', (text) => {
    const all = maskLines(text);

    expect(all.join('\n')).not.toContain(word);
    expect(all.join('\n')).toContain('[masked]');
    expect(all).toHaveLength(text.split('\n').length);
    if (text.endsWith('echo done')) expect(all.at(-1)).toBe('echo done');
  });

  test.each(shown)('is not seen in %j', (text) => {
    expect(shownOf(text)).toBe(text);
  });
});

describe('[S1-15] what stands around a secret stays readable', () => {
  test.each([
    ['passwords:\n- a\nservers:\n- b', 'passwords:\n[masked]\nservers:\n- b'],
    ['- password:\n- other: a', '- password:\n- other: a'],
    ['- password: |\n    a\n  user: b', '- password: |\n    [masked]\n  user: b'],
    ['PASSWORDS=(\na\n)\necho b', 'PASSWORDS=(\n[masked]\n)\necho b'],
    ['podman login \\\n  -p a \\\n  quay.io', 'podman login \\\n  -p [masked] \\\n  quay.io'],
    [
      'a \\\n  && podman login -p b \\\n  && mkdir -p /c \\\n  && openssl rand 1',
      'a \\\n  && podman login -p [masked] \\\n  && mkdir -p /c \\\n  [masked]',
    ],
    [
      'echo a | podman login -u b --password-stdin \\\n  quay.io',
      '[masked] | podman login -u b --password-stdin \\\n  quay.io',
    ],
    ['cat > /etc/chrony.keys <<EOF\n1 M a\nEOF', 'cat > /etc/chrony.keys <<EOF\n[masked]\nEOF'],
    ['echo a:b > /root/.pgpass && ls', '[masked] > /root/.pgpass && ls'],
    ['- name: DB_PASSWORD\n  value: a\n  other: b', '- name: DB_PASSWORD\n  value: [masked]\n  other: b'],
    [
      '[{"name":"a_token","value":"b"},{"name":"c","value":"d"}]',
      '[{"name":"a_token","value":[masked]},{"name":"c","value":"d"}]',
    ],
    ['curl -su admin:a https://b', 'curl -su [masked] https://b'],
    ['com2sec a default b', 'com2sec a default [masked]'],
  ])('%j', (text, shown) => {
    expect(shownOf(text)).toBe(shown);
  });
});

test('[N-30] texts that open what never ends are masked in linear time, and line by line', () => {
  const texts = ['chpasswd <<A\n', 'PASSWORDS=(\n', 'PW1="a\n', '- name: a_token\n  value: a\n', 'login \\\n', 'a |\n'];

  for (const text of texts) {
    const long = text.repeat(20_000);

    expect(maskLines(long)).toHaveLength(long.split('\n').length);
  }
});
