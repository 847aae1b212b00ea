import { describe, expect, test } from 'vitest';
import { headerValue, mrkdwn } from '../../../../functions/core/alerts/message/escape.ts';
import { clean, middle, redact, safeLine, safeText } from '../../../../functions/core/text/safe-text.ts';
import { anyText, fc, runs } from '../../../property.ts';

describe('credentials', () => {
  test.each([
    ['user and password of a URL', 'pull https://bob:hunter2@registry.example/v2/ failed', 'hunter2'],
    ['a password with an at sign', 'https://bob:hun@ter2@registry.example/x', 'ter2'],
    ['a bearer token', 'Authorization: Bearer abcDEF123456.ghi', 'abcDEF123456'],
    ['basic authentication', 'header authorization=Basic Ym9iOmh1bnRlcjI=', 'Ym9iOmh1bnRlcjI'],
    ['a pull secret', 'got {"auths":{"registry.example":{"auth":"Ym9iOmh1bnRlcjI="}}} here', 'Ym9iOmh1bnRlcjI'],
    [
      'a pull secret inside a string',
      '{\\"auths\\":{\\"quay\\":{\\"auth\\":\\"Ym9iOmh1bnRlcjI=\\"}}}',
      'Ym9iOmh1bnRlcjI',
    ],
    ['one entry of a pull secret', '{"auth": "Ym9iOmh1bnRlcjI=", "email": "a@b"}', 'Ym9iOmh1bnRlcjI'],
    ['a data URL', 'source data:text/plain;charset=utf-8;base64,aHVudGVyMg== differs', 'aHVudGVyMg'],
    ['an encoded data URL', 'contents data:,hunter2%0A differ', 'hunter2'],
    ['a key', 'x -----BEGIN RSA PRIVATE KEY-----\nMIIEhunter2\n-----END RSA PRIVATE KEY----- y', 'MIIEhunter2'],
    ['half a key', 'x -----BEGIN PRIVATE KEY-----\nMIIEhunter2', 'MIIEhunter2'],
    ['a web token', 'jwt eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl', 'eyJzdWIiOiJ4In0'],
    ['an OpenShift token', 'oc login --token=sha256~abcdefghijklmnopqrstuvwxyz', 'abcdefghij'],
    ['a Slack token', 'xoxb-123456789-abcdef', '123456789'],
    ['a GitHub token', 'ghp_abcdefghijklmnopqrstuvwxyz0123', 'abcdefghij'],
    ['an AWS key', 'AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
    ['a password in a setting', 'password=hunter2 failed', 'hunter2'],
    ['a password of a variable', 'DB_PASSWORD=hunter2 PGPASSWORD=hunter2', 'hunter2'],
    ['a password in quotes', 'user="bob" password="hun ter2" host="db"', 'ter2'],
    ['a password under a key in quotes, as in Python', "{'user': 'bob', 'password': 'hunter2'}", 'hunter2'],
    ['a password under a key in quotes, as in Ruby', '{"db_password"=>"hunter2"}', 'hunter2'],
    ['a password in quotes inside a string', 'err="login: password=\\"hunter2\\""', 'hunter2'],
    ['a token of a query', 'GET https://git.example/x.git?private_token=hunter2&page=1 failed', 'hunter2'],
    ['a token in JSON', '{"access_token":"hunter2","client_secret": "hunter2","apiKey":"hunter2"}', 'hunter2'],
    ['a key of a connection string', 'Endpoint=sb://x/;SharedAccessKey=hunter2=', 'hunter2'],
    ['an access key in a setting', 'aws_secret_access_key = hunter2', 'hunter2'],
    ['an address that is signed', 'Get "https://cdn.quay.io/b?X-Amz-Date=1&X-Amz-Signature=hunter2": EOF', 'hunter2'],
    ['an address that is signed by Azure', 'https://x.blob.core.windows.net/b?se=1&sig=hunter2%3D&sp=r', 'hunter2'],
    ['the address of a webhook', 'https://hooks.slack.com/services/T000/B000/hunter2', 'hunter2'],
    ['an AWS key for a while', 'ASIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
    ['a Vault token', 'hvs.CAESIJhunter2hunter2hunter2', 'hunter2'],
    ['a password of a variable in short', 'SMTP_USER=bob SMTP_PASS=hunter2 PASS=hunter2', 'hunter2'],
    ['a password in camel case', 'smtpPass=hunter2, dbPwd = hunter2', 'hunter2'],
    ['a password of a connection string', 'Server=db;Uid=sa;Pwd=hunter2;Encrypt=true', 'hunter2'],
    ['a password of a query', 'GET https://git.example/x?user=bob&pwd=hunter2 failed', 'hunter2'],
    ['a short password in quotes', 'login: user="bob" pass="hun ter2"', 'ter2'],
    ['a short password in JSON', '{"user":"bob","db_pass":"hunter2","pwd": "hunter2"}', 'hunter2'],
    ['a short password as in Python and Ruby', '{\'pass\': \'hunter2\'} {"pwd"=>"hunter2"}', 'hunter2'],
    ['a short password in YAML', 'env db_pass: hunter2', 'hunter2'],
    ['a key of an account', 'DefaultEndpointsProtocol=https;AccountName=x;AccountKey=hunter2==', 'hunter2'],
    ['a secret key in a setting', 'SECRET_KEY=hunter2 "secretKey":"hunter2"', 'hunter2'],
    ['a token of a GitLab runner', 'glrt-t3_hunter2hunter2hunter2', 'hunter2'],
    ['a GitLab token with dots', 'glpat-abcdefghijklmnop.01.0hunter2x', 'hunter2'],
    ['a token of a GitLab agent', 'glagent-abcdefghijklmnop_hunter2-hunter2hunter2hunter2', 'hunter2'],
    ['an npm token', 'npm_hunter2hunter2hunter2hunter2hunter2a', 'hunter2'],
    ['a Docker token', 'docker login -p dckr_pat_hunter2-hunter2_hunter2', 'hunter2'],
    ['the beginning of a password, where quotes are left open', 'login failed: password="xQ', 'xQ'],
    ['the beginning of a short one, where quotes are left open', "env: DB_PASS='xQ", 'xQ'],
    ['a token behind an escaped line break', 'Invalid value: "line\\nghp_hunter2hunter2hunter2"', 'hunter2'],
    ['a token behind an escaped tab', 'Invalid value: "a\\txoxb-hunter2-abcdef"', 'hunter2'],
    ['a token behind an encoded sign', 'GET https://git.example/?u=token%3Dghp_hunter2hunter2hunter2', 'hunter2'],
    ['a coloured token', '\u001B[31mghp_hunter2hunter2hunter2\u001B[0m', 'hunter2'],
    ['a coloured AWS key', '\u001B[31mAKIAIOSFODNN7EXAMPLE\u001B[0m', 'IOSFODNN7'],
    ['a token of a Slack app', 'xapp-1-A123-456-hunter2hunter2', 'hunter2'],
    ['a token of Google', 'ya29.a0hunter2hunter2hunter2', 'hunter2'],
    ['a token with the scheme of Git services', 'Authorization: token hunter2hunter2hunter2', 'hunter2'],
    [
      'a key in a Secret',
      `patch: {"data":{"tls.key":"${btoa('-----BEGIN PRIVATE KEY-----\nhunter2')}"}}`,
      btoa('EY-----\nhunter2').slice(4, 16),
    ],
    [
      'a pull secret in a Secret',
      `patch: {"data":{".dockerconfigjson":"${btoa('{"auths":{"quay.example":{"auth":"hunter2"}}}')}"}}`,
      btoa('{"auths":{"quay.example":{"auth":"hunter2"}}}').slice(20, 40),
    ],
    [
      'a key in a manifest, whose beginning was cut off',
      `(+9 characters)\n    ${'hunter2+'.repeat(8)}\n    abc==\n`,
      'hunter2',
    ],
    ['a key whose beginning was cut off', `(+9 characters)\n${'hunter2+'.repeat(8)}\nabc==\n`, 'hunter2'],
    ['a Docker token of an organisation', 'dckr_oat_hunter2-hunter2_hunter2', 'hunter2'],
  ])('%s is not shown', (_name, text, secret) => {
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain('removed');
    expect(safeLine(text, 500)).not.toContain(secret);
  });

  test('marks inside do not hide them', () => {
    expect(safeText('Bea\u200Brer abc\u0000DEF123456', 200)).toBe('Bearer [removed]');
  });

  test.each(['password="', "{'token': '", 'err="login: password=\\"', 'smtpPass = "', '"pwd":"'])(
    '[N-29] quotes left open at the end hide nothing that is said behind them: %s',
    (text) => {
      const shown = redact(`login failed: ${text}`);

      expect(shown).toContain('[removed]');
      expect(redact(`${shown} Joined: bank.`)).toBe(`${shown} Joined: bank.`);
    },
  );

  test('what is no secret stays', () => {
    const text =
      'content mismatch for file "/etc/chrony.conf" on worker-3: see https://docs.example/mco?x=1#a, PDB shop/web@2';

    expect(redact(text)).toBe(text);
  });

  test('the name of a secret stays, and what stands beside one', () => {
    const text = 'secret="openshift-config/pull-secret" not found; "secretName": "pull-secret", secret "a/b" is gone';

    expect(redact(text)).toBe(text);
    expect(redact('https://x.example/b?sig=hunter2&sp=r')).toBe('https://x.example/b?sig=[removed]&sp=r');
    expect(redact('{"access_token":"hunter2","expires_in":5}')).toBe('{"access_token":"[removed]","expires_in":5}');
  });

  test.each([
    'PWD=/root OLDPWD=/var/tmp SHELL=/bin/bash',
    'tests pass=12 fail=3, pass: 12, second pass: rendered, a two-pass: no',
    'bypass=eviction compass=north passes=many "bypass":"eviction" passive: yes',
    'pass=true, pass=false;',
    'npm_config_cache=/tmp/x, npm_package_version=1.2.3, dckr_pat, glab-cli-2.1, glass-onion-of-a-long-name',
    `sha256sum:\n${'0a'.repeat(32)}\n/etc/chrony.conf`,
    'pod/glrt-runner, storage account key of AccountName=x, secret key "a/b" is gone',
  ])('what only looks like a password stays: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  test('a web token is found wherever it begins, as by one pattern for all of it', () => {
    const whole = /(?<![A-Za-z0-9])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g;
    const piece = fc.constantFrom('eyJ', 'eyJhbGciOiJI', '.', '-', '_', 'a', 'abcdefgh', 'abcdefghijk', ' ', ':');

    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');

        expect(redact(text)).toBe(text.replace(whole, '[token removed]'));
      }),
      { numRuns: 3_000 },
    );
  });

  const wordsBefore = [
    'auth authorization Authorization password DB_PASSWORD passwd passphrase pass smtpPass db_pass PWD client-secret',
    'secretKey token private_token api_key access-key AccountKey Bearer basic sig X-Amz-Signature',
  ].flatMap((words) => words.split(' '));
  const beginnings = [
    '-----BEGIN -----END data: https:// postgres://bob:hunter2@ hooks.slack.com/services/ "auths" eyJ eyJhbGciOiJI',
    'eyJhdXRocyI6 LS0tLS1CRUdJTi xoxb- xapp- ghp_ github_pat_ glpat- glrt- glsoat- glffct- glagent- npm_ dckr_pat_',
    'dckr_oat_ ya29. hvs. hvb. sha256~ AKIA ASIA',
  ].flatMap((words) => words.split(' '));
  const between = [
    ':',
    '=',
    ' = ',
    ': ',
    '=>',
    '"',
    "'",
    '\\"',
    ' ',
    '\n',
    '\\n',
    '\t',
    '-----',
    ',',
    '{',
    '/',
    '.',
    '@',
    '?',
    '&',
  ];
  const bodies = ['hunter2', 'true', '12', 'é', 'A', '[31m', '%3D'];
  const longBodies = [8, 16, 20, 36, 40, 60, 76].flatMap((length) =>
    ['A', 'f0', 'x_', 'q-'].map((of) => of.repeat(length).slice(0, length)),
  );
  const whole = [
    '-----BEGIN KEY-----\nMIIE',
    '{"auths":{',
    'data:,hunter2',
    '"auth":"',
    "'pwd': 'hunter2'",
    '\\"token\\":\\"hunter2',
    'passwd: hunter2',
    'passphrase=hunter2',
    'api-key = hunter2',
    'PWD=hunter2',
    'Basic Ym9iOmh1bnRlcjI',
    '&sig=hunter2',
    'AKIAIOSFODNN7EXAMPLE',
    'eyJhdXRocyI6++++++++',
  ];
  /** Every beginning, middle and end of a secret, in whatever order. */
  const parts = fc.oneof(
    ...[wordsBefore, beginnings, between, bodies, longBodies, whole].map((of) => fc.constantFrom(...of)),
  );

  test('[N-29] a text that no part of a secret is in is what all patterns leave of it', () => {
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 8 }), (pieces) => {
        const text = pieces.join('');

        // What begins a token is suspicious, and by itself is none.
        expect(redact(text)).toBe(redact(`eyJ npm_\n${text}`).slice(9));
      }),
      { numRuns: runs(30_000) },
    );
  });

  test('is quick, whatever it reads', () => {
    for (const unit of [
      'eyJ',
      '-eyJ',
      'a://',
      'data:',
      '"auth":"',
      'bearer ',
      '-----BEGIN A-----',
      '; ',
      'token=',
      'token="',
      'token="a',
      '?x-sig',
      '"a_',
      'x@',
      'pass=',
      'Pass ',
      '"pass":"',
      "pass='a",
      'pass\\"',
      '_pass:',
      'glpat-',
      'npm_',
      'dckr_pat_',
    ]) {
      expect(redact(unit.repeat(20_000)).length).toBeGreaterThan(0);
    }
  });
});

describe('hostile characters', () => {
  test('controls, bidirectional marks, invisible separators and tags are removed; newlines and tabs stay', () => {
    expect(clean('a\u0000b\u001b[31mc\u202Ed\u2066e\u200Ff\u200Bg\u{E0041}h\uFEFFi\nj\tk')).toBe('ab[31mcdefghi\nj\tk');
  });

  test('[N-30] what looks like a space and is none leaves one word, not a sentence', () => {
    expect(clean('run\u2800oc\u{1D159}delete')).toBe('runocdelete');
  });

  test('lone surrogates become the replacement character, and text is normalised', () => {
    expect(clean('a\uD800b')).toBe('a\uFFFDb');
    expect(clean('e\u0301')).toBe('é');
  });

  test('cleaning twice changes nothing more', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 200 }), (text) => {
        expect(clean(clean(text))).toBe(clean(text));
      }),
      { numRuns: 2000 },
    );
  });

  test('a header value is printable ASCII on one line', () => {
    expect(headerValue('a\r\nB: c 節')).toBe('a B: c ?');
  });
});

describe('shortening', () => {
  test('keeps a third of the head, two thirds of the tail, and counts what is missing', () => {
    const short = middle(`start ${'x'.repeat(2500)} cause at the end`, 120);

    expect(short).toMatch(/^start x+ … \(\+2,\d{3} chars\) … x+ cause at the end$/);
    expect(short.length).toBeLessThanOrEqual(120);
  });

  test.each([
    ['one blank', `${'a'.repeat(20)} ${'b'.repeat(300)}`, 'a'.repeat(20)],
    ['several blanks', `${'a'.repeat(20)} \t\n ${'b'.repeat(300)}`, 'a'.repeat(20)],
    ['no blank', 'b'.repeat(300), 'b'.repeat(27)],
    ['blanks alone before the word', `  ${'b'.repeat(300)}`, `  ${'b'.repeat(25)}`],
  ])('[N-30] leaves out a word that was cut, with what is before it: %s', (_, text, head) => {
    expect(middle(text, 100).split(' … ')[0]).toBe(head);
  });

  test('never passes the limit and never cuts a character in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 0, max: 200 }), (text, limit) => {
        const short = middle(text, limit);

        expect(short.length).toBeLessThanOrEqual(Math.max(limit, 0));
        expect(short.isWellFormed()).toBe(text.isWellFormed() ? true : short.isWellFormed());
      }),
    );
  });
});

describe('mrkdwn', () => {
  test('entities count, and none is cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('&', '<', '>', 'a', '`', '節'), maxLength: 300 }),
        fc.integer({ min: 0, max: 200 }),
        (text, limit) => {
          const escaped = mrkdwn(text, limit);

          expect(escaped.length).toBeLessThanOrEqual(limit);
          expect(escaped.replace(/&(?:amp|lt|gt);/g, '')).not.toMatch(/[&<>]/);
        },
      ),
    );
  });

  test('a pair of back-ticks is code, a lone one is none', () => {
    expect(mrkdwn('nodes labelled `disk=ssd`', 100)).toBe('nodes labelled `disk=ssd`');
    expect(mrkdwn('a lone ` here', 100)).toBe("a lone ' here");
    expect(mrkdwn('```block``` and ` x', 100)).not.toContain('`');
  });
});
