import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeContents } from '../../../../functions/core/machine-config/decode.ts';
import { describeMerged } from '../../../../functions/core/machine-config/describe-change.ts';
import { changedFacets } from '../../../../functions/core/machine-config/facet-change.ts';
import { lineDiff } from '../../../../functions/core/machine-config/line-diff.ts';
import { maskLines } from '../../../../functions/core/machine-config/mask.ts';
import { type Room, roomFor } from '../../../../functions/core/text/room.ts';
import { fc } from '../../../property.ts';
import { dataUrl, machineConfig, poolOf, type Saying } from './builders.ts';
import { renderPool } from './render-pool.ts';

function diffOf(before: Saying | undefined, after: Saying | undefined, room?: Room) {
  const [old, now] = [before, after].map((saying) =>
    renderPool(poolOf('worker'), saying === undefined ? [] : [machineConfig('50-x', saying)]),
  );
  return changedFacets(old?.facets ?? new Map(), now?.facets ?? new Map()).map((each) => describeMerged(each, room));
}

const gzip = (text: string) => `data:;base64,${gzipSync(text).toString('base64')}`;

const pem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n${body}\n-----END CERTIFICATE-----`;

describe('contents', () => {
  test.each<readonly [string, unknown, unknown]>([
    ['base64', { source: dataUrl('grüße\n') }, { kind: 'text', text: 'grüße\n' }],
    ['percent escapes', { source: 'data:,a%20b%0A%C3%BC' }, { kind: 'text', text: 'a b\nü' }],
    ['neither', { source: 'data:,plain,with,commas' }, { kind: 'text', text: 'plain,with,commas' }],
    ['gzip', { source: gzip('packed\n'), compression: 'gzip' }, { kind: 'text', text: 'packed\n' }],
    ['no source', {}, { kind: 'text', text: '' }],
    ['nothing at all', undefined, { kind: 'text', text: '' }],
    ['bytes that are no text', { source: 'data:;base64,AAEC' }, { kind: 'binary', sizeBytes: 3 }],
    ['broken UTF-8', { source: 'data:,%ff%fe' }, { kind: 'binary', sizeBytes: 2 }],
    [
      'a remote source, named without credentials and query',
      { source: 'https://u:p@example.com/a.tgz?token=1' },
      { kind: 'remote', url: 'https://example.com/a.tgz' },
    ],
  ])('[S1-15] are decoded: %s', (_, contents, expected) => {
    expect(decodeContents(contents)).toEqual(expected);
  });

  test.each<readonly [string, unknown]>([
    ['a broken escape', { source: 'data:,%zz' }],
    ['broken base64', { source: 'data:;base64,*' }],
    ['no comma', { source: 'data:text/plain' }],
    ['no gzip', { source: 'data:,x', compression: 'gzip' }],
    ['a bomb: a megabyte that unpacks to a gigabyte', { source: gzip('\0'.repeat(50_000_000)), compression: 'gzip' }],
    [
      'a small bomb, of which a MachineConfig may have a thousand',
      { source: gzip('a\n'.repeat(100_000)), compression: 'gzip' },
    ],
    ['another packing', { source: 'data:,x', compression: 'zstd' }],
    ['10 MB', { source: `data:,${'x'.repeat(10_000_000)}` }],
    ['a number', { source: 1 }],
    ['no object', 'text'],
    ['no URL', { source: 'etc/passwd' }],
  ])('[S1-15] that cannot be read say so and throw nothing: %s', (_, contents) => {
    expect(decodeContents(contents).kind).toBe('unreadable');
  });
});

describe('a diff', () => {
  test('[S1-15] is unified, with three lines round each change, and says who brings it', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const changed = lines.map((line, index) => (index === 10 ? 'other' : line));

    const [entry] = diffOf(
      { files: { '/etc/a': `${lines.join('\n')}\n` } },
      { files: { '/etc/a': `${changed.join('\n')}\n` } },
    );

    expect(entry).toEqual({
      what: 'file /etc/a',
      change: 'changed',
      lines: ['@@ -8 +8 @@', ' line 7', ' line 8', ' line 9', '-line 10', '+other', ' line 11', ' line 12', ' line 13'],
      source: { before: '50-x', after: '50-x' },
      security: [],
    });
  });

  test('[S1-15] shows units, drop-ins, kernel arguments, modes and the kinds of keys', () => {
    const entries = diffOf(undefined, {
      files: {
        '/usr/local/bin/a.sh': { mode: 493, user: { name: 'core' }, contents: { source: dataUrl('#!/bin/sh\n') } },
      },
      units: {
        'a.service': { enabled: true, contents: '[Service]\nNice=1\n', dropins: [{ name: '1.conf', contents: 'x=1' }] },
      },
      keys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEexample ops@example.com'],
      spec: { kernelArguments: ['nosmt', 'audit=0'] },
    });

    expect(entries.map(({ what, lines }) => [what, ...lines.filter((line) => !line.startsWith('@@'))])).toEqual([
      ['file /usr/local/bin/a.sh', '+(mode 0755)', '+(owner user core)', '+#!/bin/sh'],
      ['unit a.service', '+(enabled: true)', '+[Service]', '+Nice=1', '+(drop-in 1.conf)', '+x=1'],
      ['user core', '+ssh-ed25519 [masked] ops@example.com'],
      ['kernel arguments', '+nosmt', '+audit=0'],
    ]);
  });

  test('[S1-15] tells an encoding that differs from a secret that does', () => {
    const secret = '/etc/app/password';
    const entries = diffOf(
      { files: { '/etc/a': { contents: { source: 'data:,x' } }, [secret]: 'one' } },
      { files: { '/etc/a': { contents: { source: 'data:;base64,eA==' } }, [secret]: 'two' } },
    );

    expect(entries.map(({ lines }) => lines)).toEqual([
      ['(only the encoding differs)'],
      ['(only what is masked differs)'],
    ]);
  });

  test.each<readonly [string, string, string, readonly string[]]>([
    ['a missing one at the end', 'a\nb\n', 'a\nb', []],
    ['those of Windows', 'a\nb\n', 'a\r\nb\r\n', []],
    ['those of Windows before a masked line', 'a\npassword=x\n', 'a\r\npassword=x\r\n', []],
    ['those around lines that are masked together', `${pem('MIIE')}\nx\n`, `${pem('MIIE')}\r\nx`, []],
    [
      'those of a masked line that differs',
      'password=x\n',
      'password=y',
      ['-password=[removed]', '+password=[removed]'],
    ],
    ['one more', 'a\n', 'a\n\n', [' a', '+']],
  ])('[S1-15] tells ends of lines from what is masked: %s', (_, before, after, lines) => {
    const [entry] = diffOf({ files: { '/etc/a': before } }, { files: { '/etc/a': after } });

    const found = entry?.lines.filter((line) => !line.startsWith('@@'));
    expect(found).toEqual(lines.length === 0 ? ['(only the ends of lines differ)'] : lines);
  });

  test.each(['\r', '\u0085', '\u2028'])(
    '[S1-15] a sign that ends no line on nodes is not told as harmless: %j',
    (end) => {
      const rule = '-:ALL EXCEPT wheel:ALL\n';
      const entries = diffOf(
        { files: { '/etc/security/access.conf': `# admins alone\n${rule}` } },
        { files: { '/etc/security/access.conf': `# admins alone${end}${rule}` } },
      );

      expect(entries[0]?.lines).toEqual(['(signs between lines differ, which may join or divide lines)']);
    },
  );

  test('[S1-15] [N-29] certificates whose lines are joined by blanks, as by `>` in YAML, are not told as harmless', () => {
    const path = '/etc/pki/ca-trust/source/anchors/corp.crt';
    const block = pem('MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkq');
    const entries = diffOf(
      { files: { [path]: `${block}\n` } },
      { files: { [path]: `${block.replaceAll('\n', ' ')}\n` } },
    );

    expect(entries[0]?.lines).toEqual(['@@ -1 +1 @@', '-[PEM removed]', '+[PEM removed]']);
  });

  test.each([
    ['that becomes a line of the whole unit', { contents: '(drop-in 1.conf)\n[Service]\n' }],
    ['with an invisible sign in its name', { dropins: [{ name: '\u200b1.conf', contents: '[Service]\n' }] }],
  ])('[S1-15] [N-29] a drop-in %s is not told as harmless', (_, said) => {
    const unit = (each: object) => ({ units: { 'a.service': each } });
    const entries = diffOf(unit({ dropins: [{ name: '1.conf', contents: '[Service]\n' }] }), unit(said));

    expect(entries[0]?.lines).toEqual(expect.arrayContaining(['-(drop-in 1.conf)', '+(drop-in 1.conf)']));
  });

  test('[S1-15] tells ends of lines of a secret file, and of a drop-in before another one', () => {
    const saying = (end: string) => ({
      files: { '/etc/app/password': `a${end}` },
      units: {
        'a.service': {
          dropins: [
            { name: '1.conf', contents: `x${end}` },
            { name: '2.conf', contents: 'y' },
          ],
        },
      },
    });

    const entries = diffOf(saying('\n'), saying(''));

    expect(entries.flatMap(({ lines }) => lines)).toEqual(Array(2).fill('(only the ends of lines differ)'));
  });

  const sysctl = (...lines: readonly string[]) => ({ files: { '/etc/sysctl.d/99-a.conf': lines.join('\n') } });
  const core = (fields: object) => ({ spec: { config: { passwd: { users: [{ name: 'core', ...fields }] } } } });
  const key = (body: string, of: string) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${body} ${of}`;

  test.each<readonly [string, Saying, Saying, readonly string[]]>([
    [
      'a setting beside another one',
      sysctl('x.pin = 1', 'vm.swappiness = 10'),
      sysctl('x.pin = 0', 'vm.swappiness = 1'),
      ['-x.pin = [masked]', '-vm.swappiness = 10', '+x.pin = [masked]', '+vm.swappiness = 1'],
    ],
    [
      'a setting alone',
      sysctl('a = 1', 'token = one'),
      sysctl('a = 1', 'token = two'),
      [' a = 1', '-token [masked]', '+token [masked]'],
    ],
    [
      'a certificate of several lines beside a setting',
      sysctl('a = 1', pem('MIIEone'), 'b = 1'),
      sysctl('a = 2', pem('MIIEtwo'), 'b = 1'),
      ['-a = 1', '-[PEM removed]', '+a = 2', '+[PEM removed]', ' b = 1'],
    ],
    [
      'the key of a person, who keeps it by name, beside a new one',
      core({ sshAuthorizedKeys: [key('one', 'bob@x')] }),
      core({ sshAuthorizedKeys: [key('two', 'bob@x'), key('three', 'alice@x')] }),
      ['-ssh-ed25519 [masked] bob@x', '+ssh-ed25519 [masked] bob@x', '+ssh-ed25519 [masked] alice@x'],
    ],
    [
      'a password beside a key',
      core({ passwordHash: '$6$a$b', sshAuthorizedKeys: [key('one', 'bob@x')] }),
      core({ passwordHash: '$6$a$c', sshAuthorizedKeys: [key('one', 'bob@y')] }),
      [
        '-ssh-ed25519 [masked] bob@x',
        '-(passwordHash: [masked])',
        '+ssh-ed25519 [masked] bob@y',
        '+(passwordHash: [masked])',
      ],
    ],
    [
      'a file that is secret as a whole beside its mode',
      { files: { '/etc/a.key': { mode: 0o600, contents: { source: 'data:,one' } } } },
      { files: { '/etc/a.key': { mode: 0o640, contents: { source: 'data:,two' } } } },
      ['-(mode 0600)', '+(mode 0640)', '-([masked]: it may hold secrets)', '+([masked]: it may hold secrets)'],
    ],
    [
      'lines that are masked together beside another one',
      sysctl('a = 1', 'x_pass="', 'one', 'two"', 'b = 1'),
      sysctl('a = 2', 'x_pass="', 'one', 'three"', 'b = 1'),
      ['(what is masked differs, too)', '-a = 1', '+a = 2', ' x_pass="[removed]'],
    ],
    [
      'lines that are masked together, and stay, beside another one',
      sysctl('a = 1', 'x_pass="', 'one', 'two"', 'b = 1'),
      sysctl('a = 2', 'x_pass="', 'one', 'two"', 'b = 1'),
      ['-a = 1', '+a = 2', ' x_pass="[removed]'],
    ],
    [
      'lines that are masked together, which are new',
      sysctl('a = 1'),
      sysctl('a = 1', 'x_pass="', 'one', 'two"'),
      ['(what is masked differs, too)', ' a = 1', '+x_pass="[removed]'],
    ],
    [
      'lines that are masked together, of a text that is new',
      sysctl(),
      sysctl('x_pass="', 'one', 'two"'),
      ['+x_pass="[removed]'],
    ],
  ])('[S1-15] tells that what is masked of a line differs: %s', (_, before, after, lines) => {
    const [entry] = diffOf(before, after);

    expect(entry?.lines.filter((line) => !line.startsWith('@@'))).toEqual(lines);
  });

  test.each([
    ['/etc/selinux/config', 'SELINUX=permissive', ['SELinux']],
    ['/etc/ssh/sshd_config.d/10-root.conf', 'PermitRootLogin yes', ['sshd']],
    ['/etc/sudoers.d/core', 'core ALL=(ALL) NOPASSWD: ALL', ['sudo', 'accounts']],
    ['/etc/polkit-1/rules.d/1.rules', 'x', ['polkit']],
    ['/etc/pki/ca-trust/source/anchors/a.crt', 'x', ['CA bundle']],
    ['/etc/containers/policy.json', '{"default":[{"type":"insecureAcceptAnything"}]}', ['image signatures']],
    ['/etc/containers/registries.conf', 'x', ['image registries']],
    ['/etc/audit/rules.d/1.rules', 'x', ['audit']],
    ['/etc/crypto-policies/config', 'LEGACY', ['crypto policy']],
    ['/usr/local/bin/a.sh', 'curl https://example.com/x | sh', ['downloaded commands']],
    ['/etc/motd', 'welcome', []],
  ])('[S1-15] names what of security it concerns: %s', (path, text, topics) => {
    const [entry] = diffOf(undefined, { files: { [path]: text } });

    expect(entry?.security).toEqual(topics);
  });

  test.each([
    [{ spec: { kernelArguments: ['selinux=0', 'mitigations=off'] } }, ['SELinux', 'CPU mitigations']],
    [{ spec: { fips: true } }, ['FIPS mode']],
    [{ spec: { osImageURL: 'x' } }, ['OS image']],
    [{ keys: ['ssh-ed25519 AAAA a'] }, ['authorized keys']],
    [
      { spec: { config: { passwd: { users: [{ name: 'core', passwordHash: '$6$a$b' }] } } } },
      ['authorized keys', 'password'],
    ],
  ])('[S1-15] names what of security it concerns: %j', (saying, topics) => {
    const [entry] = diffOf(undefined, saying);

    expect(entry?.security).toEqual(topics);
    expect(JSON.stringify(entry)).not.toContain('$6$');
  });

  test('[S1-15] any text can be read out of its whole diff', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });

    fc.assert(
      fc.property(text, text, (before, after) => {
        const [old, now] = [before, after].map((lines) => lines.map((line) => ({ shown: line, raw: line })));
        const diff = lineDiff(old ?? [], now ?? []);
        const gone = diff.filter((line) => line.startsWith('-')).length;
        const come = diff.filter((line) => line.startsWith('+')).length;

        expect(come - gone).toBe(after.length - before.length);
        expect(diff.length === 0).toBe(before.join() === after.join());
      }),
    );
  });
});

const secret = 'hunter2Hunter2';

describe('a secret', () => {
  test.each([
    ['a setting', `password = ${secret}`],
    ['a setting in YAML', `  clientSecret: "${secret}"`],
    ['a setting in JSON', `{"user": "a", "passwd": "${secret}", "x": 1}`],
    ['a variable of a unit', `Environment=DB_PASSWORD=${secret}`],
    ['several variables', `Environment="A=1" "API_TOKEN=${secret}"`],
    ['a flag', `ExecStart=/usr/bin/a --verbose x --token ${secret}`],
    ['a flag with an equals sign', `ExecStart=/usr/bin/a --api-key=${secret}`],
    ['a user and password of curl', `curl -u admin:${secret} https://example.com`],
    ['an address', `url = https://admin:${secret}@example.com/`],
    ['a header', `curl -H 'Authorization: Bearer ${secret}'`],
    ['a word and a space', `requirepass ${secret}`],
    ['a word and a space inside', `neighbor 10.0.0.1 password ${secret}`],
    ['an element', `<password>${secret}</password>`],
    ['a pipe into a program', `echo ${secret} | passwd --stdin core`],
    ['the next line', `password:\n  ${secret}`],
    ['a block', `token: |\n  ${secret}\n\n  ${secret}\nnext: 1`],
    ['a list', `api_keys:\n  - one\npasswords:\n  - ${secret}`],
    ['a GitHub token', `x ghp_${secret.repeat(3)}`],
    ['base64 without a name', `x ${Buffer.from(secret.repeat(3)).toString('base64')}`],
    ['hexadecimal without a name', `x ${'0123456789abcdef'.repeat(2)}`],
    ['a JSON web token', `x eyJhbGciOiJIUzI1NiJ9.${secret}${secret}.${secret}`],
    ['a name with an unseen character in it', `pass\u200bword = ${secret}`],
  ])('[S1-15] is masked as %s', (_, text) => {
    const [entry] = diffOf(undefined, { files: { '/etc/app.conf': text } });

    const shown = JSON.stringify(entry);

    expect(shown).not.toContain(secret);
    expect(shown).not.toContain('0123456789abcdef');
    expect(shown).toMatch(/masked|removed/);
  });

  test.each([
    ['/etc/shadow', 'root:x'],
    ['/var/lib/kubelet/config.json', '{}'],
    ['/etc/pki/tls/private/a.key', 'x'],
    ['/root/.ssh/id_rsa', 'x'],
    ['/etc/NetworkManager/system-connections/wifi.nmconnection', 'x'],
    ['/etc/kubernetes/kubeconfig', 'x'],
    ['/etc/a', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'],
    ['/etc/a', '{"auths":{"example.com":{"auth":"eA=="}}}'],
    ['/etc/a', 'admin:$apr1$abc$def'],
    ['/etc/a', 'users:\n- name: a\n  user:\n    client-key-data: abc'],
  ])('[S1-15] hides the whole of a file by its path or content: %s %s', (path, text) => {
    const [entry] = diffOf(undefined, { files: { [path]: { contents: { source: dataUrl(text) } } } });

    expect(entry?.lines.filter((line) => !line.startsWith('@@'))).toEqual(['+([masked]: it may hold secrets)']);
  });

  test.each([
    'server ntp1.example.com iburst',
    'PasswordAuthentication no',
    'ExecStart=/usr/bin/podman run --rm quay.example.com/a/b@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    'net.ipv4.conf.all.accept_redirects = 0',
    'systemd.unified_cgroup_hierarchy=1',
    'After=network-online.target openshift-config-user-ca-bundle.service',
    'SELINUX=enforcing',
  ])('[S1-15] is not seen where none is: %s', (line) => {
    expect(maskLines(line)).toEqual([line]);
  });

  test.each([
    ['an address', `systemd.setenv=HTTPS_PROXY=http://bob:${secret}@proxy.example.com:3128`],
    [
      'an address whose host stands behind the cut',
      `ignition.config.url=https://bob:${secret}${'a.'.repeat(160)}@host`,
    ],
    ['a signed address', `coreos.live.rootfs_url=https://host/x?sig=${secret}`],
    ['a GitHub token', `x=ghp_${'abcdefghij'.repeat(3)}${secret}`],
  ])('[S1-15] is removed from a kernel argument: %s', (_, argument) => {
    const [entry] = diffOf(
      { spec: { kernelArguments: ['nosmt'] } },
      { spec: { kernelArguments: ['nosmt', argument] } },
    );

    expect(entry?.lines.at(-1)).toMatch(/^\+.*(?:masked|removed)/);
    expect(entry?.lines.join('\n')).not.toContain(secret);
  });

  test('[S1-15] is never shown, wherever it stands in a setting', () => {
    const name = fc.constantFrom(
      'password',
      'DB_PASSWORD',
      'clientSecret',
      'auth-token',
      'apiKey',
      'private_key',
      'psk',
    );
    const sign = fc.constantFrom(' = ', '=', ': ', ':', ' := ', '="', ": '", ' => ');
    const value = fc.stringMatching(/^[A-Za-z0-9!%&/()?+*~,;-]{6,40}$/).filter((each) => !'[masked]'.includes(each));
    const lead = fc.constantFrom('', '  ', '- ', 'export ', 'a=1 ', '{"x": 1, "', '--', 'Environment="');

    fc.assert(
      fc.property(lead, name, sign, value, (before, key, equals, word) => {
        const shown = maskLines(`first\n${before}${key}${equals}${word}\nlast`).join('\n');

        expect(shown).not.toContain(word);
      }),
    );
  });
});

describe('a hostile MachineConfig', () => {
  test('[S1-15] is shown cleaned and cut: markup, control characters, endless names and lines', () => {
    const path = `/etc/\u202e\u0007<img src=x onerror=alert(1)>${'a'.repeat(5_000)}\nfake`;

    const [entry] = diffOf(undefined, { files: { [path]: `\u001b[2J${'x '.repeat(5_000)}\n` } });

    expect(entry?.what.length).toBeLessThan(400);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
    expect(JSON.stringify(entry?.lines)).not.toMatch(/\\u001b|[\u0000-\u001f]/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
    expect(entry?.what).not.toMatch(/[\u202e\u0007\n]/);
    expect(entry?.lines.every((line) => line.length <= 301)).toBe(true);
  });

  test('[S1-15] of ten thousand lines is told in two hundred', () => {
    const text = (salt: string) => Array.from({ length: 10_000 }, (_, index) => `${salt} ${index}`).join('\n');

    const [entry] = diffOf({ files: { '/etc/a': text('a') } }, { files: { '/etc/a': text('b') } });

    expect(entry?.lines).toHaveLength(201);
    expect(entry?.lines.at(-1)).toBe('(19801 more lines)');
  });

  test('[S1-15] [N-30] of more lines than ten thousand is told by their number, also where drop-ins share them', () => {
    const saying = (mark: string) => ({
      files: { '/etc/a': { contents: { source: dataUrl(`${mark}\n`.repeat(10_001)) } } },
      units: {
        'a.service': {
          dropins: ['1.conf', '2.conf'].map((name, at) => ({
            name,
            contents: `${at === 0 ? 'x' : mark}\n`.repeat(6_000),
          })),
        },
      },
    });

    const [file, unit] = diffOf(saying('a'), saying('b'));

    expect(file?.lines.slice(1)).toEqual(['-(10001 lines, too many to show)', '+(10001 lines, too many to show)']);
    expect(unit?.lines.slice(-3)).toEqual([
      ' (drop-in 2.conf)',
      '-(6000 lines, too many to show)',
      '+(6000 lines, too many to show)',
    ]);
  });

  test.each(['\r', '\r\n', '\u0085', '\u2028'])(
    '[S1-15] [N-30] of more lines than ten thousand is told by their number, whatever ends them: %j',
    (end) => {
      const [entry] = diffOf(undefined, {
        files: { '/etc/a': { contents: { source: dataUrl(`x${end}`.repeat(10_002)) } } },
      });

      expect(entry?.lines.at(-1)).toMatch(/^\+\(1000[23] lines, too many to show\)$/);
    },
  );

  test('[S1-15] with sections of any form is kept as it is and told without content', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('config', 'kernelArguments', 'fips', 'odd', '__proto__'),
          fc.json().map((text) => JSON.parse(text)),
        ),
        (spec) => {
          const entries = diffOf(undefined, { spec });

          expect(Array.isArray(entries)).toBe(true);
        },
      ),
    );
  });

  test('[S1-15] that nests without end is a difference, and no crash', () => {
    const nested = (depth: number): unknown => {
      let value: unknown = 'end';
      for (let level = 0; level < depth; level += 1) value = { a: value };
      return value;
    };

    const [entry] = diffOf({ spec: { odd: nested(50_000) } }, { spec: { odd: nested(50_001) } });

    expect(entry).toMatchObject({ what: 'section odd', change: 'changed', lines: [] });
  });

  test('[S1-15] [N-30] of a change that is larger than what is described the rest is named, with the topics of its path', () => {
    const text = (mark: string) => `${mark}\n`.repeat(1_000);
    const files = (mark: string) => ({ '/etc/a': text(mark), '/etc/b': text(mark), '/etc/ssh/c': text(mark) });

    const found = diffOf({ files: files('a') }, { files: files('b') }, roomFor(600_000));

    expect(found.map(({ what, change, lines, security }) => [what, change, lines[0], security])).toEqual([
      ['file /etc/a', 'changed', '@@ -1 +1 @@', []],
      ['file /etc/b', 'changed', '@@ -1 +1 @@', []],
      ['file /etc/ssh/c', 'changed', '(not shown: the whole change is too large)', ['sshd']],
    ]);
  });

  test('[S1-15] [N-30] a line counts for what it takes to mask it, also where it is empty', () => {
    const taken: number[] = [];
    const noting: Room = { isLeft: () => true, take: (amount) => taken.push(amount) };
    const files = { '/etc/empty-lines': '\n'.repeat(1_000), '/etc/one-line': 'a'.repeat(1_000), '/etc/empty': '' };

    diffOf(undefined, { files }, noting);

    const attributes = '(mode 0644)\n'.length;
    expect(taken.map((amount) => amount - attributes).toSorted((a, b) => a - b)).toEqual([0, 1_200, 201_000]);
  });
});
