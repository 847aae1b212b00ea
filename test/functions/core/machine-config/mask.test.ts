import { describe, expect, test } from 'vitest';
import { maskLine } from '../../../../functions/core/machine-config/mask.ts';
import { isSecretFile } from '../../../../functions/core/machine-config/secret-file.ts';
import { fc } from '../../../property.ts';

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));

/** A name of Kubernetes. */
const name = fc.stringMatching(/^[a-z](?:[a-z0-9-]{0,30}[a-z0-9])?$/);

describe('what is masked of a line', () => {
  test('[N-29] [S1-15] is never the name of a rendered config or the digest of an image', () => {
    const line = fc.record({ pool: name, hash: hex(32), other: hex(32), digest: hex(64) });

    fc.assert(
      fc.property(line, ({ pool, hash, other, digest }) => {
        const text = `node is on rendered-${pool}-${hash}, wants "rendered-${pool}-${other}": quay.io/x@sha256:${digest}`;

        expect(maskLine(text)).toBe(text);
      }),
    );
  });

  test('[S1-15] is every other long run of hexadecimal digits, also behind a name that looks like one', () => {
    const line = fc.record({ pool: name, hash: hex(32), secret: hex(40), more: hex(33) });

    fc.assert(
      fc.property(line, ({ pool, hash, secret, more }) => {
        const text = `rendered-${pool}-${hash} ${secret} rendered-${pool}-${more} rendered ${hash} my-${hash}`;

        expect(maskLine(text)).toBe(
          `rendered-${pool}-${hash} [masked] rendered-${pool}-[masked] rendered [masked] my-[masked]`,
        );
      }),
    );
  });

  test.each([
    '  shared_key hunter2',
    'createUser bob SHA "hunter2auth" AES hunter2priv',
    'mysql -phunter2 -u root',
    'mysqldump -u root -p hunter2 a',
    'ipmitool -I lanplus -U admin -P hunter2 chassis status',
    'ldapsearch -x -w hunter2 -D cn=admin',
    'smbclient -U bob%hunter2 //server/share',
    'redis-cli -a hunter2 info',
    'realm join -U bob <<< hunter2',
    'snmpget -v2c -c hunter2 host',
    'podman exec -i mysql mysql -phunter2',
    'sudo -E mysql -u root -p hunter2',
    'ExecStart=/usr/bin/mysql -phunter2',
    'ps -p 1 | mysql -phunter2',
    'OPTIONS="-u root -phunter2"; mysql $OPTIONS a',
    'fence_ipmilan -l bob -p hunter2 -a 10.0.0.1',
    'aws configure set aws_secret_access_key hunter2',
  ])('[S1-15] the word is not shown of %j', (line) => {
    expect(maskLine(line)).not.toContain('hunter2');
    expect(maskLine(line)).toContain('[masked]');
  });

  test.each([
    'mkdir -p /var/lib/a',
    'ldapsearch -x -b dc=example',
    'grep -w chrony /etc/a',
    'tar -c -f a.tar /etc/a',
    'mkdir -p /var/lib/mysql /var/log/mysql',
    'mkdir -m 700 /var/lib/mysql -p /var/log/mysql',
    'podman run --name mysql -p 3306:3306 a',
    'ps -p 1 | grep mysql a',
    'ssh -p 22 core@a sudo login now',
  ])('[S1-15] %j is shown', (line) => {
    expect(maskLine(line)).toBe(line);
  });

  test.each([
    'ERROR: BMC answered 401: session token expired',
    'Error: secret "db" not found',
    'FATAL: password authentication failed for user "backup"',
    'wrong password for user root',
    'the password for bob must be changed',
    '{"level":"error","msg":"the token has expired"}',
    'error: --token is required',
    'session_token was revoked.',
    'passphrase incorrect.',
    'openssl verify: certificate has expired',
  ])('[S1-15] %j says something of a secret, and none', (line) => {
    expect(maskLine(line)).toBe(line);
  });

  test.each([
    'password isabel-hunter2',
    'password expired-hunter2',
    'password is hunter2',
    'password was set to hunter2',
    'password not hunter2',
    'password for bob hunter2',
    'password for bob: hunter2',
    'token invalid: hunter2',
    'token expired, password hunter2',
    'secret "hunter2"',
    'secret "db" hunter2',
    'session_token hunter2',
    '--token hunter2 is required',
    'openssl enc -k hunter2',
    'Admin password not specified, generated: hunter2',
    'Password is not set. Using default: hunter2',
    'password not provided; generated "hunter2"',
    'DB_PASSWORD not found, using hunter2',
    'token expired, new one is hunter2',
    'token validation failed: hunter2',
    'password validation failed: "hunter2" is too short',
    'password did not match: hunter2',
    'password too short, got hunter2',
    'token invalid hunter2',
    'token rejected (hunter2)',
    'token mismatch expected hunter2 got hunter3',
    'password provided was "hunter2"',
    'password provided is hunter2',
    'password must be hunter2',
    'password could be hunter2',
    'token "hunter2" not found',
    'password "hunter2" already exists in history',
    '{"msg":"password not set","fallback":"hunter2"}',
    'password authentication failed for user root hunter2',
    'password for bob was rejected, hunter2',
    '--token is required hunter2',
    'attempts failed=3 user=bob pass=hunter2',
  ])('[S1-15] %j stays masked', (line) => {
    expect(maskLine(line)).not.toContain('hunter2');
    expect(maskLine(line)).toMatch(/masked|removed/);
  });

  test('[S1-15] what a message says of a secret is shown, and what it says then is masked', () => {
    expect(maskLine('Admin password not specified, generated: hunter2')).toBe('Admin password not specified, [masked]');
  });

  test.each([
    ['/etc/chrony.keys', true],
    ['/etc/ntp/keys', true],
    ['/etc/ntp.keys', true],
    ['/var/lib/net-snmp/snmpd.conf', true],
    ['/etc/security/opasswd', true],
    ['/etc/chrony.conf', false],
    ['/etc/audit/rules.d/75-etcpasswd.rules', false],
    ['/etc/pam.d/password-auth', false],
  ])('[S1-15] %s is secret as a whole: %s', (path, is) => {
    expect(isSecretFile(path, '-w /x -p wa\n')).toBe(is);
  });
});
