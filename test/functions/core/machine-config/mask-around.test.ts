import { describe, expect, test } from 'vitest';
import { maskLines } from '../../../../functions/core/machine-config/mask.ts';
import { adding, predict } from '../../preview-changes/pull-world.ts';

const word = 'hunter2';

/** What of a new file is quoted in the comment of a pull request with the word in it. */
async function leaksOf(text: string): Promise<readonly string[]> {
  const { comment } = await predict({ files: adding('99-worker-x', [{ path: '/usr/local/etc/agent', text }]) });
  expect(comment).toContain('/usr/local/etc/agent');
  return comment.split('\n').filter((line) => line.includes(word));
}

describe('[S1-15] [N-29] a secret is masked whatever the line above it says', () => {
  test.each([
    ['# The bind password:', `bindpw ${word}`],
    ['# LDAP password:', `ldap_default_authtok = ${word}`],
    ['    # shared secret:', `    auth_pass ${word}`],
    ['# community, our secret:', `rocommunity ${word}`],
    ['! BGP password:', ` neighbor 10.0.0.1 password ${word}`],
    ['admin_password =', `secret_key = ${word}`],
    ['token:', `password: ${word}`],
    ['AuthType Basic', `AuthLDAPBindPassword ${word}`],
    ['mode: basic', `password: ${word}`],
    ['# password:', `mysql -p${word} db`],
    ['# the BMC wants a password:', `ipmitool -H bmc -U root -P ${word} power status`],
    ['# set the password:', `chpasswd <<EOF\ncore:${word}\nEOF`],
    ['# the token:', `echo "h:b:${word}" > /root/.pgpass`],
    ['# the password:', `passwords:\n- ${word}`],
    ['    # the password:', `    env:\n    - name: DB_PASSWORD\n      value: ${word}`],
    ['data:,x', `password=${word}`],
  ])('%s', async (above, secret) => {
    expect(await leaksOf(`${secret}\n`)).toEqual([]);
    expect(await leaksOf(`${above}\n${secret}\n`)).toEqual([]);
  });

  test.each([
    `curl --basic --user bob:${word} https://bmc/redfish/v1`,
    `curl -k --basic \\\n  --user bob:${word} \\\n  https://bmc/redfish/v1`,
    `tool --mode basic --password ${word}`,
    `data:,x password=${word}`,
    `read -p "Password: " PASS; mysql -p${word} db`,
    `# password: see there; mysql -p${word}`,
  ])('or what stands before it in its own line: %j', async (text) => {
    expect(await leaksOf(`#!/bin/bash\n${text}\n`)).toEqual([]);
  });
});

describe('[S1-15] [N-29] a comment behind a name hides no name from the lines below', () => {
  test.each([
    ['passwords:', ' # for vault logins', `\n- ${word}\n`],
    ['env:\n- name: KEY_PASSPHRASE', ' # openssl asks for it', `\n  value: ${word}\n`],
    ['password: >-', ' # the gpg passphrase', `\n  ${word}\n`],
    ['args:\n- --password', ' # of kinit in the job', `\n- ${word}\n`],
    ['PASSWORDS=(', ' # read by chpasswd below', `\n  core:${word}\n)\n`],
    ['PASSWORDS=(', ' # read (by chpasswd)', `\n  core:${word}\n)\n`],
    ['passwords: [', ' # of [the] vault', `\n  ${word}\n]\n`],
    ['args: [\n  "--password",', ' # of kinit', `\n  "${word}"\n]\n`],
  ])('%j with %j', async (name, comment, value) => {
    expect(await leaksOf(`${name}${value}`)).toEqual([]);
    expect(await leaksOf(`${name}${comment}${value}`)).toEqual([]);
  });
});

describe('[S1-15] [N-29] what goes over several lines is removed as before', () => {
  test.each([
    ['a key', '-----BEGIN EXAMPLE KEY-----\nabcd\n-----END EXAMPLE KEY-----\nplain', '[PEM removed]\nplain'],
    ['its name before it', 'key = -----BEGIN A-----\nabcd\n-----END A-----\nplain', 'key = [masked]\nplain'],
    ['a word below its name', 'The password:\nabcd', 'The password:\n[removed]'],
    ['a value that goes on', 'password: ab\n  cd\nplain', 'password: [removed]\n  [masked]\nplain'],
    ['what was cut off', `${'a '.repeat(995)}https://bob:${'b'.repeat(40)}@host`, `${'a '.repeat(995)} [masked]`],
    ['a scheme at the end of a line', 'scheme: basic\nrealms: a', 'scheme: basic\n[removed]: a'],
  ])('%s', (_, text, shown) => {
    expect(maskLines(text).join('\n')).toBe(shown);
  });
});
