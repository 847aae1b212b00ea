import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { durationSeconds, durationText } from '../../../../functions/shell/configuration/duration.ts';
import { internalPaths } from '../../../../functions/shell/configuration/file/internals.ts';
import { loadConfiguration } from '../../../../functions/shell/configuration/load-configuration.ts';
import { nearest } from '../../../../functions/shell/configuration/nearest.ts';
import { prepare } from '../../../../functions/shell/configuration/prepare.ts';
import { readConfiguration } from '../../../../functions/shell/configuration/read-configuration.ts';
import { looksRandom, looksSecret } from '../../../../functions/shell/configuration/secret-looking.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

const smallest = `
clusters:
  - name: prod
    api: { server: https://api.prod.example.com:6443, tokenSecret: poolkeeper/prod/token }
`;

function read(text: string) {
  return readConfiguration(text, { source: 'poolkeeper.yaml' });
}

function problemsOf(text: string, readText?: (path: string) => string): readonly string[] {
  try {
    readConfiguration(text, { source: 'poolkeeper.yaml', ...(readText === undefined ? {} : { readText }) });
    return [];
  } catch (error) {
    if (error instanceof Misconfigured) return error.problems;
    throw error;
  }
}

/** The smallest configuration with one cluster's keys replaced. */
function clusterText(cluster: Readonly<Record<string, unknown>>): string {
  const api = { server: 'https://api.prod.example.com:6443', tokenSecret: 'poolkeeper/prod/token' };
  return stringify({ clusters: [{ name: 'prod', api, ...cluster }] });
}

function apiText(api: Readonly<Record<string, unknown>>): string {
  return clusterText({
    api: { server: 'https://api.prod.example.com:6443', tokenSecret: 'poolkeeper/prod/token', ...api },
  });
}

function targetText(target: Readonly<Record<string, unknown>>): string {
  return `${smallest}${stringify({ alerts: { targets: [target] } })}`;
}

describe('a good configuration', () => {
  it('[C-8] the smallest one has every default filled in', () => {
    const configuration = read(smallest);

    expect(configuration).toEqual({
      clusters: [
        {
          name: 'prod',
          api: {
            server: 'https://api.prod.example.com:6443',
            ca: undefined,
            tokenSecret: 'poolkeeper/prod/token',
            skipTLSVerify: false,
          },
          policy: defaultPolicy,
          pools: {},
        },
      ],
      argocd: [],
      alerts: { statusUrl: undefined, targets: [] },
    });
  });

  it('[C-8] the common policy changes the defaults, and a cluster changes the common policy', () => {
    const { clusters } = read(`
clusters:
  - name: a
    api: { server: https://a.example.com:6443, tokenSecret: a }
  - name: b
    api: { server: https://b.example.com:6443/, tokenSecret: b }
    policy: { pausedAtMost: 45m, stuckAfter: { reboot: 30m }, alerting: { reminders: { other: [1h] } } }
policy:
  pausedAtMost: 1h30m
  onOverride: enforce
  stuckAfter: { drain: 90s }
`);

    expect(clusters[0]?.policy).toEqual({
      ...defaultPolicy,
      pausedAtMostSeconds: 5400,
      onOverride: 'enforce',
      stuckAfter: { ...defaultPolicy.stuckAfter, drainSeconds: 90 },
    });
    expect(clusters[1]?.policy).toEqual({
      ...defaultPolicy,
      pausedAtMostSeconds: 2700,
      onOverride: 'enforce',
      stuckAfter: { ...defaultPolicy.stuckAfter, drainSeconds: 90, rebootSeconds: 1800 },
      alerting: {
        ...defaultPolicy.alerting,
        reminderSeconds: { ...defaultPolicy.alerting.reminderSeconds, other: [3600] },
      },
    });
    expect(clusters[1]?.api.server).toBe('https://b.example.com:6443');
  });

  it('[C-8] internals have a block of their own, in the common policy and in that of a cluster', () => {
    const warnings: string[] = [];

    const { clusters } = readConfiguration(
      `
clusters:
  - name: a
    api: { server: https://a.example.com:6443, tokenSecret: a }
    policy: { internals: { renderSettle: 20s, alerting: { holdDown: 0s } } }
policy:
  pausedAtMost: 1h
  internals: { sweepEvery: 1m, renderSettle: 30s }
  alerting: { reminders: { other: [1h] } }
`,
      { source: 'poolkeeper.yaml', warn: (warning) => warnings.push(warning) },
    );

    expect(clusters[0]?.policy).toEqual({
      ...defaultPolicy,
      pausedAtMostSeconds: 3600,
      renderSettleSeconds: 20,
      sweepEverySeconds: 60,
      alerting: {
        ...defaultPolicy.alerting,
        holdDownSeconds: 0,
        reminderSeconds: { ...defaultPolicy.alerting.reminderSeconds, other: [3600] },
      },
    });
    expect(warnings).toEqual([]);
  });

  it('[C-8] internals at the place of an earlier version still work, each with a warning', () => {
    const warnings: string[] = [];

    const { clusters } = readConfiguration(
      `
clusters:
  - name: a
    api: { server: https://a.example.com:6443, tokenSecret: a }
    policy: { alerting: { holdDown: 0s } }
policy:
  blindAfterMisses: 5
  internals: { sweepEvery: 1m }
`,
      { source: 'poolkeeper.yaml', warn: (warning) => warnings.push(warning) },
    );

    expect(clusters[0]?.policy).toEqual({
      ...defaultPolicy,
      blindAfterMisses: 5,
      sweepEverySeconds: 60,
      alerting: { ...defaultPolicy.alerting, holdDownSeconds: 0 },
    });
    expect(warnings).toEqual([
      'poolkeeper.yaml:5:27 clusters[0].policy.alerting.holdDown: is now clusters[0].policy.internals.alerting.holdDown; it still works here',
      'poolkeeper.yaml:7:3 policy.blindAfterMisses: is now policy.internals.blindAfterMisses; it still works here',
    ]);
  });

  it('[C-8] each internal works alike at both places', () => {
    const sample = (path: readonly (string | number)[]) =>
      /Misses$|Changes$|Application$/.test(String(path.at(-1))) ? 7 : path.at(-1) === 'readChangeWithin' ? '7s' : '7m';
    const policyWith = (path: readonly (string | number)[], value: unknown): unknown =>
      path.toReversed().reduce((below, key) => ({ [key]: below }), value);
    const policyOf = (policy: unknown) => read(`${smallest}${stringify({ policy })}`).clusters[0]?.policy;

    for (const path of internalPaths) {
      const inBlock = policyOf(policyWith(['internals', ...path], sample(path)));

      expect(policyOf(policyWith(path, sample(path)))).toEqual(inBlock);
      expect(inBlock).not.toEqual(defaultPolicy);
    }
  });

  it('an Argo CD instance knows its own cluster, and every cluster by name and server; what is written wins', () => {
    const { argocd } = read(`
clusters:
  - { name: a, api: { server: https://a.example.com:6443, tokenSecret: a } }
  - { name: b, api: { server: https://b.example.com:6443, tokenSecret: b } }
argocd:
  - name: hub
    cluster: a
    destinations: [{ server: https://proxy.example.com/b/, cluster: b }, { name: a, cluster: b }]
`);

    expect(argocd[0]).toEqual({
      name: 'hub',
      cluster: 'a',
      namespaces: ['openshift-gitops'],
      controllerNamespace: 'openshift-gitops',
      destinations: [
        { server: 'https://proxy.example.com/b', cluster: 'b' },
        { name: 'a', cluster: 'b' },
        { server: 'https://kubernetes.default.svc', cluster: 'a', isImplied: true },
        { name: 'in-cluster', cluster: 'a', isImplied: true },
        { server: 'https://a.example.com:6443', cluster: 'a', isImplied: true },
        { server: 'https://b.example.com:6443', cluster: 'b', isImplied: true },
        { name: 'b', cluster: 'b', isImplied: true },
      ],
    });
  });

  it('nobody can write that a destination was not written', () => {
    const argocd =
      'argocd: [{ name: hub, cluster: prod, destinations: [{ name: b, cluster: prod, isImplied: true }] }]';

    expect(problemsOf(`${smallest}${argocd}`)).toEqual([expect.stringContaining('isImplied: unknown key')]);
  });

  it('the application controller is looked for in the first namespace unless another is named', () => {
    const argocd = (more: string) =>
      read(`${smallest}argocd: [{ name: hub, cluster: prod, namespaces: [x, y]${more} }]`);

    const controllers = [argocd(''), argocd(', controllerNamespace: y')].map(
      (each) => each.argocd[0]?.controllerNamespace,
    );

    expect(controllers).toEqual(['x', 'y']);
  });

  it('every kind of target is read with its defaults', () => {
    const filter = { clusters: [], pools: [], severities: [], causes: [] };

    const { alerts } = read(`${smallest}
alerts:
  statusUrl: https://poolkeeper.example.com/status/
  targets:
    - { kind: slack, name: s, channel: C0123456789, tokenSecret: POOLKEEPER_SLACK_TOKEN }
    - { kind: slack-webhook, name: w, urlSecret: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:slack/hook-AbCdEf' }
    - { kind: email, name: m, from: pk@example.com, to: [ops@example.com], filter: { severities: [critical] } }
    - { kind: pagerduty, name: p, routingKeySecret: poolkeeper/pagerduty, escalateAfter: 30m }
    - { kind: alertmanager, name: a, url: 'https://am.example.com', quietHours: { from: "22:00", to: "07:00", zone: Europe/Berlin } }
    - { kind: webhook, name: h, url: 'https://hook.example.com/in', signingSecret: poolkeeper/hook, filter: { causes: [P3] } }
    - { kind: outbox, name: o }
  slackButtons: { signingSecret: poolkeeper/slack-signing, team: T0123456789 }
`);

    expect(alerts).toEqual({
      statusUrl: 'https://poolkeeper.example.com/status',
      targets: [
        {
          kind: 'slack',
          name: 's',
          channel: 'C0123456789',
          tokenSecret: 'POOLKEEPER_SLACK_TOKEN',
          apiUrl: 'https://slack.com/api/',
          filter,
        },
        {
          kind: 'slack-webhook',
          name: 'w',
          urlSecret: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:slack/hook-AbCdEf',
          filter,
        },
        {
          kind: 'email',
          name: 'm',
          from: 'pk@example.com',
          to: ['ops@example.com'],
          via: 'ses',
          filter: { ...filter, severities: ['critical'] },
        },
        {
          kind: 'pagerduty',
          name: 'p',
          routingKeySecret: 'poolkeeper/pagerduty',
          eventsUrl: 'https://events.pagerduty.com/v2/enqueue',
          escalateAfterSeconds: 1800,
          filter,
        },
        {
          kind: 'alertmanager',
          name: 'a',
          url: 'https://am.example.com',
          quietHours: { from: '22:00', to: '07:00', zone: 'Europe/Berlin', weekends: false },
          filter,
        },
        {
          kind: 'webhook',
          name: 'h',
          url: 'https://hook.example.com/in',
          signingSecret: 'poolkeeper/hook',
          filter: { ...filter, causes: ['P3'] },
        },
        { kind: 'outbox', name: 'o', filter },
      ],
      slackButtons: {
        signingSecret: 'poolkeeper/slack-signing',
        team: 'T0123456789',
        users: [],
        mayFreeze: [],
        acknowledgeForSeconds: 14_400,
        mayResume: [],
        maySteer: [],
      },
    });
  });

  it.each(['pk@example.com', 'Poolkeeper <pk@example.com>', 'ops@localhost'])('mail may come from %s', (from) => {
    const problems = problemsOf(targetText({ kind: 'email', name: 'm', from, to: ['a@example.com'] }));

    expect(problems).toEqual([]);
  });

  it('[C-13] a certificate authority is taken from its file, relative to the configuration', () => {
    const pem = rootCertificates[0] ?? '';
    const asked: string[] = [];

    const { clusters } = readConfiguration(apiText({ caFile: 'certs/prod.pem' }), {
      source: 'poolkeeper.yaml',
      readText: (path) => {
        asked.push(path);
        return pem;
      },
    });

    expect(asked).toEqual(['certs/prod.pem']);
    expect(clusters[0]?.api.ca).toBe(pem);
  });

  it('[C-13] plain http and skipTLSVerify are allowed on loopback', () => {
    const servers = ['http://127.0.0.1:8080', 'https://localhost:6443', 'https://[::1]:6443'];

    const problems = servers.flatMap((server) => problemsOf(apiText({ server, skipTLSVerify: true })));

    expect(problems).toEqual([]);
  });

  it('anchors and aliases work, and a problem behind an alias has a place', () => {
    const good = `
clusters:
  - { name: a, api: { server: https://a.example.com, tokenSecret: a }, pools: &pools { worker: { wave: 2 } } }
  - { name: b, api: { server: https://b.example.com, tokenSecret: b }, pools: *pools }
`;

    expect(read(good).clusters[1]?.pools).toEqual({
      worker: {
        protection: 'react',
        manageRequired: false,
        wave: 2,
        drainable: 'warn',
        pauseMachineHealthChecks: false,
        pauseFor: 'any',
        overrun: 'part',
      },
    });
    expect(problemsOf(good.replace('wave: 2', 'wave: two'))).toEqual([
      expect.stringContaining('poolkeeper.yaml:3:104 clusters[0].pools.worker.wave:'),
      expect.stringContaining('poolkeeper.yaml:3:104 clusters[1].pools.worker.wave:'),
    ]);
  });

  it('the example in the repository is good', async () => {
    const text = await readFile(`${repository}poolkeeper.example.yaml`, 'utf8');

    const configuration = read(text);

    expect(configuration.clusters.map(({ name }) => name)).toEqual(['prod-eu-1', 'test']);
  });
});

describe('a bad configuration', () => {
  it('[C-8] [C-13] says every problem at once, in the order of the file, with place, path, reason and hint', () => {
    const problems = problemsOf(`clusters:
  - name: prod-eu-1
    api:
      server: http://api.prod-eu-1.example.com:6443
      skipTLSVerify: yes
    policy:
      pausedAtMost: 15
      expectSyncWithn: 15m
    pools:
      worker: { protecton: react, wave: 1.5, protection: handshak }
      master: { protection: react }
      Worker_2: {}
  - name: prod-eu-1
    api: { server: https://x:6443, tokenSecret: t, skipTLSVerify: true }
argocd:
  - name: hub
    cluster: prod-eu-2
    namespaces: []
    destinations: [{ cluster: prod-eu-1 }]
polcy: {}
alerts:
  statusUrl:
  targets:
    - { kind: slac, name: ops }
    - { kind: slack, name: ops, channel: '#ops', tokenSecret: t, filter: { clusters: [prod-eu1], severities: [hihg] } }
    - { kind: slack, name: ops, channel: C0123456789, tokenSecrt: t }
`);

    expect(problems).toEqual([
      'poolkeeper.yaml:4:7 clusters[0].api.tokenSecret: is missing; must be the name or ARN of a secret, or the name of an environment variable; never the secret itself',
      'poolkeeper.yaml:4:15 clusters[0].api.server: must be the URL of the API server: https://, without user, password, query and fragment (http:// only on loopback)',
      'poolkeeper.yaml:5:22 clusters[0].api.skipTLSVerify: must be true or false, without quotes (yes, no, on and off are words)',
      'poolkeeper.yaml:7:21 clusters[0].policy.pausedAtMost: must be a length of time with its unit, like 45s, 15m or 1h30m; from 1m to 168h; put it in quotes or give it a unit, so that YAML reads it as text',
      'poolkeeper.yaml:8:7 clusters[0].policy.expectSyncWithn: unknown key; did you mean `expectSyncWithin`?',
      'poolkeeper.yaml:10:17 clusters[0].pools.worker.protecton: unknown key; did you mean `protection`?',
      'poolkeeper.yaml:10:41 clusters[0].pools.worker.wave: must be a whole number from -1000 to 1000',
      'poolkeeper.yaml:10:58 clusters[0].pools.worker.protection: must be one of observe, react, handshake, admission, guard, rest; did you mean `handshake`?',
      'poolkeeper.yaml:11:29 clusters[0].pools.master.protection: is set for a pool that cluster upgrades wait for, and Poolkeeper does not touch it unasked; add manageRequired: true (while the pool is paused, upgrades stall), or use observe',
      'poolkeeper.yaml:12:7 clusters[0].pools.Worker_2: must be a Kubernetes name: small letters, digits, dots and dashes',
      'poolkeeper.yaml:13:11 clusters[1].name: is the name of another cluster too',
      'poolkeeper.yaml:14:67 clusters[1].api.skipTLSVerify: is allowed only for a server on loopback; give ca or caFile instead',
      'poolkeeper.yaml:17:14 argocd[0].cluster: names no cluster of this file; did you mean `prod-eu-1`?',
      'poolkeeper.yaml:18:17 argocd[0].namespaces: must be a list of at least one namespace',
      'poolkeeper.yaml:19:20 argocd[0].destinations[0]: must have either server or name',
      'poolkeeper.yaml:20:1 polcy: unknown key; did you mean `policy`?',
      'poolkeeper.yaml:22:3 alerts.statusUrl: is empty; must be the URL of the status page: https://, without user, password, query and fragment (http:// only on loopback)',
      'poolkeeper.yaml:24:15 alerts.targets[0].kind: must be one of slack, slack-webhook, email, pagerduty, alertmanager, webhook, outbox; did you mean `slack`?',
      'poolkeeper.yaml:25:28 alerts.targets[1].name: is the name of another target too',
      "poolkeeper.yaml:25:42 alerts.targets[1].channel: must be the id of the channel (C0123456789, below the channel's details in Slack), not its name",
      'poolkeeper.yaml:25:87 alerts.targets[1].filter.clusters[0]: names no cluster of this file; did you mean `prod-eu-1`?',
      'poolkeeper.yaml:25:111 alerts.targets[1].filter.severities[0]: must be one of critical, high, warning, info; did you mean `high`?',
      'poolkeeper.yaml:26:7 alerts.targets[2].tokenSecret: is missing; must be the name or ARN of a secret, or the name of an environment variable; never the secret itself',
      'poolkeeper.yaml:26:28 alerts.targets[2].name: is the name of another target too',
      'poolkeeper.yaml:26:55 alerts.targets[2].tokenSecrt: unknown key; did you mean `tokenSecret`?',
    ]);
  });

  it('a pool whose changes are all refused while it is not paused is paused for all of them', () => {
    const pools = (protection: string) => ({ worker: { protection, pauseFor: 'disruptive' } });

    expect(problemsOf(clusterText({ pools: pools('admission') }))).toEqual([
      expect.stringContaining('pauseFor: goes against protection admission'),
    ]);
    expect(problemsOf(clusterText({ pools: pools('react') }))).toEqual([]);
  });

  it.each([
    ['nothing', '', 'poolkeeper.yaml:1:1 is empty; clusters is missing'],
    ['only a comment', '# later', 'poolkeeper.yaml:1:1 is empty; clusters is missing'],
    ['a list', '- prod', 'poolkeeper.yaml:1:1 (the file): must be a mapping of keys to values'],
    ['no cluster', 'clusters: []', 'poolkeeper.yaml:1:11 clusters: must be a list of at least one cluster'],
    ['a tab', 'clusters:\n\t- name: a', 'poolkeeper.yaml:2:1 a tab is used to indent; YAML wants spaces'],
    ['an open quote', 'clusters: "a', 'poolkeeper.yaml:1:13 a quote, bracket or colon is missing'],
    ['a colon too many', 'clusters: a: b', 'poolkeeper.yaml:1:11 a colon inside plain text; put the text in quotes'],
    [
      'an open bracket',
      'clusters: [',
      'poolkeeper.yaml:1:12 the indentation does not fit, or a bracket before it is not closed',
    ],
    [
      'two documents',
      `${smallest}---\n${smallest}`,
      'poolkeeper.yaml:5:1 a second document begins here; there must be one',
    ],
    [
      'a key written twice',
      `${smallest}policy: {}\npolicy: {}`,
      'poolkeeper.yaml:6:1 the same key stands twice in one mapping',
    ],
    ['an unknown tag', `${smallest}policy: !env {}`, 'poolkeeper.yaml:5:9 unknown tag (the word that begins with !)'],
    [
      'an alias of nothing',
      `${smallest}policy: *common`,
      'poolkeeper.yaml:5:9 this alias (*) names no anchor (&) before it',
    ],
  ])('[C-8] %s is explained', (_, text, problem) => {
    const problems = problemsOf(text);

    expect(problems).toEqual([problem]);
  });

  it('a merge key of YAML 1.1 is explained', () => {
    const problems = problemsOf(`${smallest}policy:\n  <<: { pausedAtMost: 1h }`);

    expect(problems).toEqual([
      'poolkeeper.yaml:6:3 policy["<<"]: unknown key; merge keys are not part of YAML 1.2; write the keys out',
    ]);
  });

  it('aliases that would expand without end are refused', () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `  a${level + 1}: &a${level + 1} [${`*a${level}, `.repeat(10)}]`,
    );

    const problems = problemsOf(`x:\n  a0: &a0 [b]\n${levels.join('\n')}\n`);

    expect(problems).toEqual(['poolkeeper.yaml:1:1 its aliases expand to too much']);
  });

  it.each(['15', '15 m', 'm', '1m1h', '-5m', '1.5h', '15M', '0.5m', '1h 30m', '9999999h'])(
    '[C-8] %s is not a length of time',
    (text) => {
      const problems = problemsOf(`${smallest}policy: { pausedAtMost: '${text}' }`);

      expect(problems).toEqual([
        expect.stringContaining('policy.pausedAtMost: must be a length of time with its unit'),
      ]);
    },
  );

  it('[C-8] a length of time outside its bounds is refused with the bounds', () => {
    const problems = problemsOf(`${smallest}policy: { confirmWithin: 1h, blindAfterMisses: 0 }`);

    expect(problems).toEqual([
      expect.stringContaining('from 1s to 15m'),
      expect.stringContaining('must be a whole number from 1 to 100'),
    ]);
  });

  it('[C-8] an internal at both places is refused, and the place of an earlier version is checked as well', () => {
    const problems = problemsOf(`${smallest}policy:
  confirmWithin: 1h
  renderSettle: 20s
  internals: { renderSettle: 30s }
`);

    expect(problems).toEqual([
      'poolkeeper.yaml:6:18 policy.confirmWithin: must be a length of time with its unit, like 45s, 15m or 1h30m; from 1s to 15m',
      'poolkeeper.yaml:7:3 policy.renderSettle: is set as policy.internals.renderSettle too; keep that one',
    ]);
  });

  it.each([
    ['policy: { renderSetle: 1s }', 'policy.renderSetle', 'did you mean `policy.internals.renderSettle`?'],
    [
      'policy: { alerting: { holdDwn: 1s } }',
      'policy.alerting.holdDwn',
      'did you mean `policy.internals.alerting.holdDown`?',
    ],
    ['policy: { internals: { renderSetle: 1s } }', 'policy.internals.renderSetle', 'did you mean `renderSettle`?'],
    ['policy: { pausedAtMots: 1h }', 'policy.pausedAtMots', 'did you mean `pausedAtMost`?'],
    [
      'policy: { nothingLikeIt: 1h }',
      'policy.nothingLikeIt',
      'known here: pausedAtMost, syncAtMost, syncStillAtMost, failedAtMost, expectSyncWithin, onSyncFailure, onRefusedSync, onOverride, whenRolling, duringUpgrade, restYieldsWithin, waitForSyncs, gates, stuckAfter, alerting, internals',
    ],
  ])('[C-8] %s: what was probably meant is named where it belongs', (policy, path, hint) => {
    expect(problemsOf(`${smallest}${policy}`)).toEqual([expect.stringContaining(`${path}: unknown key; ${hint}`)]);
  });

  it('reminders must rise', () => {
    const problems = problemsOf(`${smallest}policy: { alerting: { reminders: { critical: [1h, 30m] } } }`);

    expect(problems).toEqual([
      expect.stringContaining('reminders.critical: must be a list of 1 to 10 lengths of time'),
    ]);
  });

  it.each([
    'http://api.example.com:6443',
    'https://user:pass@api.example.com',
    'https://api.example.com?token=x',
    'https://api.example.com/#x',
    'api.example.com:6443',
    'http://127.0.0.1.example.com',
    'http://127.evil.example',
    'ftp://localhost',
  ])('[C-13] %s is no server', (server) => {
    const problems = problemsOf(apiText({ server }));

    expect(problems).toEqual([expect.stringContaining('clusters[0].api.server: ')]);
  });

  it('[C-13] two clusters with one API server are refused, also when one has a final slash', () => {
    const problems = problemsOf(`
clusters:
  - { name: a, api: { server: https://a.example.com:6443, tokenSecret: a } }
  - { name: b, api: { server: https://a.example.com:6443/, tokenSecret: b } }
`);

    expect(problems).toEqual(['poolkeeper.yaml:4:31 clusters[1].api.server: is the API server of another cluster too']);
  });

  it.each([
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n', 'looks like a secret'],
    ['no certificate', 'hello', 'holds no certificate in PEM'],
    [
      'a broken certificate',
      '-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n',
      'holds a certificate that cannot be read',
    ],
  ])('[C-13] %s is no certificate authority', (_, ca, reason) => {
    const problems = problemsOf(apiText({ ca }));

    expect(problems).toEqual([expect.stringContaining(`clusters[0].api.ca: ${reason}`)]);
  });

  it('[C-13] a private key in the file of the certificate authority is refused', () => {
    const pem = '-----BEGIN EC PRIVATE KEY-----\nMIIB\n-----END EC PRIVATE KEY-----\n';

    const problems = problemsOf(apiText({ caFile: 'ca.pem' }), () => pem);

    expect(problems).toEqual([expect.stringContaining('caFile: holds a private key; only certificates belong here')]);
  });

  it('[C-13] ca and caFile exclude each other, and a file that is not there is named by its key', () => {
    const problems = problemsOf(apiText({ ca: rootCertificates[0], caFile: 'nowhere.pem' }));

    expect(problems).toEqual([
      expect.stringContaining('clusters[0].api.caFile: stands beside ca'),
      expect.stringContaining('clusters[0].api.caFile: cannot be read (ENOENT)'),
    ]);
  });

  it('[C-13] a file that only a pod has is a problem where the configuration is used', () => {
    const problems = problemsOf(apiText({ caFile: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt' }));

    expect(problems).toEqual([
      expect.stringContaining('clusters[0].api.caFile: was not read (ENOENT); only the pod itself has it'),
    ]);
  });

  it.each(['pk', 'pk@', 'a@b, c@d', 'X <a@b> <c@d>', 'X\r\nBcc: a@b <c@d>', '<a@b>', '"X" <a@b>'])(
    'mail may not come from %j',
    (from) => {
      const problems = problemsOf(targetText({ kind: 'email', name: 'm', from, to: ['a@example.com'] }));

      expect(problems).toEqual([expect.stringContaining('targets[0].from: must be an e-mail address')]);
    },
  );

  it('a filter by causes takes codes of the catalogue only', () => {
    const filtered = (cause: string) => targetText({ kind: 'outbox', name: 'o', filter: { causes: ['P3', cause] } });

    expect(problemsOf(filtered('U4'))).toEqual([]);
    expect(problemsOf(filtered('Q99'))).toEqual([
      expect.stringContaining('alerts.targets[0].filter.causes[1]: must be a code of docs/causes.md, like P3'),
    ]);
  });

  it('a destination needs server or name, not both, and only once', () => {
    const problems = problemsOf(`${smallest}
argocd:
  - name: hub
    cluster: prod
    destinations:
      - { server: https://a, name: a, cluster: prod }
      - { server: https://a/, cluster: prod }
      - { server: https://b, cluster: prdo }
`);

    expect(problems).toEqual([
      expect.stringContaining('destinations[0]: must have either server or name'),
      expect.stringContaining('destinations[1].server: stands in another destination too'),
      expect.stringContaining('destinations[2].cluster: names no cluster of this file; did you mean `prod`?'),
    ]);
  });

  it.each(['master', 'arbiter'])('[S3-9] %s is not protected unless manageRequired is set by name', (pool) => {
    const asked = (settings: unknown) => problemsOf(clusterText({ pools: { [pool]: settings } }));

    const counts = [
      { protection: 'react' },
      { protection: 'handshake', manageRequired: false },
      { protection: 'react', manageRequired: true },
      { protection: 'observe' },
      { wave: 3 },
    ].map((settings) => asked(settings).length);

    expect(counts).toEqual([1, 1, 0, 0, 0]);
  });
});

describe('approve', () => {
  const asked = (approve: object) => problemsOf(clusterText({ pools: { worker: { approve } } }));

  it.each([
    'slack:U0123456789',
    'aws:AIDAEXAMPLE1234567',
    'aws:AROAEXAMPLE1234567:alice@example.org',
    'slack:U0123456789 aws:AIDAEXAMPLE1234567 github:alice',
    'slack:U0123456789 github:mona-cat_octo',
  ])('[N-17] %s is a person', (person) => {
    expect(asked({ by: [person] })).toEqual([]);
  });

  it.each([
    'alice',
    'kubernetes:alice',
    'slack:alice',
    'aws:arn:aws:iam::123456789012:user/alice',
    'aws:AROAEXAMPLE1234567',
    'github:alice',
    'slack:U0123456789 alice',
    '',
  ])('[N-17] %j proves nobody and is refused', (person) => {
    expect(asked({ by: [person] })).toEqual([expect.stringContaining('must be who a person is')]);
  });

  it('[N-17] one person in two entries, more approvals than people and an unknown pusher are refused', () => {
    const twice = ['slack:U0123456789', 'aws:AIDAEXAMPLE1234567 slack:U0123456789'];

    expect(asked({ by: twice })).toEqual([expect.stringContaining('names somebody whom an earlier entry names')]);
    expect(asked({ by: ['slack:U0123456789'], needed: 2 })).toEqual([
      expect.stringContaining('is more than the people in by'),
    ]);
    expect(asked({ by: ['slack:U0123456789'], excludePusher: true })).toEqual([
      expect.stringContaining('has no github:login'),
    ]);
    expect(asked({ by: [] })).toEqual([expect.stringContaining('at least one person')]);
    expect(asked({ by: ['slack:U0123456789'], expires: '1m' })).toEqual([expect.stringContaining('5m to 168h')]);
  });
});

describe('ticket', () => {
  const asked = (ticket: object) =>
    problemsOf(clusterText({ pools: { worker: { ticket: { url: 'https://itsm.example.com/{pool}', ...ticket } } } }));

  it.each([
    {},
    { path: 'result.state', equals: 'approved', timeout: '3s', cache: '2m' },
    { path: 'result.0.state', oneOf: ['approved', '3'], header: 'X-Token', headerSecret: 'poolkeeper/itsm' },
    { internalNetworks: ['10.1.0.0/16', 'fd12::/64'] },
  ])('[N-17] %j is a ticket', (ticket) => {
    expect(asked(ticket)).toEqual([]);
  });

  it.each([
    [{ url: 'https://169.254.169.254/' }, 'must be the https:// address of a ticket'],
    [{ path: 'state' }, 'must have path together with equals or oneOf'],
    [{ equals: 'approved' }, 'must have path together with equals or oneOf'],
    [{ path: '$..state', equals: 'x' }, 'must be the place of a value in JSON'],
    [{ timeout: '11s' }, '1s to 10s'],
    [{ cache: '1s' }, '10s to 15m'],
    [{ header: 'X Token' }, 'must be the name of an HTTP header'],
    [{ internalNetworks: ['10.0.0.1'] }, 'must be a network'],
  ])('[N-17] %j is refused', (ticket, problem) => {
    expect(asked(ticket)).toEqual([expect.stringContaining(problem)]);
  });
});

describe('a calendar by its address', () => {
  const window = (calendarFrom: object, more: object = {}) =>
    clusterText({
      windows: [{ kind: 'deny', calendarFrom: { url: 'https://a.example.com/a.ics', ...calendarFrom }, ...more }],
    });

  it.each([
    {},
    { url: 'https://a.example.com/calendar?format=ics&id=4' },
    { url: 'http://127.0.0.1:8080/a.ics', timeout: '10s' },
    { header: 'X-Token', headerSecret: 'poolkeeper/calendar', internalNetworks: ['10.1.0.0/16'] },
  ])('[N-8] %j is one', (calendarFrom) => {
    expect(problemsOf(window(calendarFrom))).toEqual([]);
  });

  it.each([
    [{ url: 'http://a.example.com/a.ics' }, 'must be the https:// address of a calendar'],
    [{ url: 'https://me:pass@a.example.com/a.ics' }, ''],
    [{ url: 'https://169.254.169.254/a.ics' }, 'must be the https:// address of a calendar'],
    [{ url: 'webcal://a.example.com/a.ics' }, 'must be the https:// address of a calendar'],
    [{ timeout: '11s' }, '1s to 10s'],
    [{ internalNetworks: ['10.0.0.1'] }, 'must be a network'],
  ])('[N-8] %j is refused', (calendarFrom, problem) => {
    expect(problemsOf(window(calendarFrom))).toEqual([expect.stringContaining(problem)]);
  });

  it('[N-8] stands alone', () => {
    expect(problemsOf(window({}, { calendar: './a.ics' }))).not.toEqual([]);
    expect(problemsOf(window({}, { schedule: '0 22 * * 2', duration: '1h' }))).not.toEqual([]);
  });

  it('[N-8] is not read with the configuration, which says so', () => {
    const warnings: string[] = [];
    readConfiguration(window({}), { source: 'poolkeeper.yaml', warn: (each) => warnings.push(each) });

    expect(warnings).toEqual([
      expect.stringMatching(
        /^poolkeeper\.yaml:\d+:\d+ clusters\[0\]\.windows\[0\]\.calendarFrom: is not read here, so whether it can be used is not known; until Poolkeeper has read it, its pools stay paused$/,
      ),
    ]);
  });
});

describe('secrets', () => {
  // Put together here, so that no scanner takes this file for a leak.
  const pasted = [
    ['xoxb', '123456789012', 'abcdefghijklmnop'].join('-'),
    `https://hooks.slack.com/${'services'}/T000/B000/XXXX`,
    `sha256${'~'}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`,
    `eyJhbGciOiJSUzI1NiJ9${'.'}eyJpc3MiOiJrdWJlIn0${'.'}c2lnbmF0dXJl`,
    `ghp${'_'}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`,
    '0f3e4bcd0f3e4bcd0f3e4bcd0f3e4bcd',
    'aX3kQ9zLm2Rt7Vb1Nc8Yd5Wf',
    'Bearer abcdefghijk',
    'https://user:hunter2@example.com',
  ];

  it.each(pasted)('[C-8] a pasted secret is refused and appears in no message (%#)', (value) => {
    const texts = [
      apiText({ tokenSecret: value }),
      targetText({ kind: 'slack', name: 's', channel: 'C0123456789', tokenSecret: value }),
      targetText({ kind: 'slack-webhook', name: 's', urlSecret: value }),
    ];

    const problems = texts.flatMap((text) => problemsOf(text));

    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain(value);
    for (const problem of problems) expect(problem).toContain('looks like a secret');
  });

  it.each([
    'poolkeeper/prod-eu-1/token',
    'POOLKEEPER_CLUSTER_TOKEN_PROD_EU_1',
    'PoolkeeperProdEu1SlackToken',
    'arn:aws:secretsmanager:eu-central-1:123456789012:secret:poolkeeper/prod/token-a1B2c3',
  ])('the name %s is not taken for a secret', (name) => {
    const problems = problemsOf(apiText({ tokenSecret: name }));

    expect(problems).toEqual([]);
    expect([looksSecret(name), looksRandom(name)]).toEqual([false, false]);
  });

  it('[C-8] a secret under a wrong key, as a key, or in broken YAML appears in no message', () => {
    const secret = ['xoxb', '123456789012', 'abcdefghijklmnop'].join('-');

    const problems = [
      `${smallest}slackToken: ${secret}`,
      `${smallest}${secret}: 1`,
      `${smallest}alerts: { targets: [ "${secret}`,
      `${smallest}alerts: !${secret} x`,
      `${smallest}alerts: *${secret}`,
      `${smallest}policy: { onOverride: ${secret} }`,
    ].map((text) => problemsOf(text));

    for (const each of problems) expect(each.length).toBeGreaterThan(0);
    expect(problems.flat().join()).not.toContain(secret);
  });

  it('[C-8] no value of the file is repeated, wherever it stands', async () => {
    const example: unknown = parse(await readFile(`${repository}poolkeeper.example.yaml`, 'utf8'));
    const places: string[] = [];
    JSON.stringify(example, (key, value: unknown) => {
      if (typeof value === 'string') places.push(key);
      return value;
    });

    const problems = places.flatMap((_, place) => {
      let index = -1;
      const text = JSON.stringify(example, (_key, value: unknown) => {
        if (typeof value === 'string') index += 1;
        return typeof value === 'string' && index === place ? 'Hunter2 is my password!' : value;
      });
      return problemsOf(text);
    });

    expect(problems.length).toBeGreaterThanOrEqual(places.length - 2);
    expect(problems.join()).not.toContain('Hunter2');
  });
});

describe('the prepared configuration', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'poolkeeper-configuration-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('[C-8] what was prepared is loaded again as it was read', async () => {
    const written = await prepare(`${repository}poolkeeper.example.yaml`, join(folder, 'made', 'poolkeeper.json'));

    const loaded = await loadConfiguration(join(folder, 'made', 'poolkeeper.json'));

    expect(loaded).toEqual(written);
  });

  it.each([
    ['is missing', undefined],
    ['is not JSON', 'clusters: []'],
    ['was written by another version', '{"clusters":[],"argocd":[],"alerts":{"targets":[]},"new":1}'],
  ])('a file that %s fails the start', async (_, text) => {
    const path = join(folder, 'poolkeeper.json');
    if (text !== undefined) await writeFile(path, text);

    const load = loadConfiguration(path);

    await expect(load).rejects.toThrow(Misconfigured);
  });

  it('[C-8] the command writes the file, or ends with 2 and every problem on standard error', async () => {
    const command = `${repository}functions/shell/configuration/prepare.ts`;
    const bad = join(folder, 'bad.yaml');
    const out = join(folder, 'out.json');
    await writeFile(bad, `${smallest}polcy: {}\nalert: {}\n`);
    const run = async (...args: string[]) => {
      const { code, stderr } = await promisify(execFile)(process.execPath, [command, ...args]).then(
        ({ stderr }) => ({ code: 0, stderr }),
        (error: { code: number; stderr: string }) => error,
      );
      return { code, lines: stderr.trim().split('\n') };
    };

    const old = join(folder, 'old.yaml');
    await writeFile(old, `${smallest}policy: { renderSettle: 20s }\n`);

    const results = await Promise.all([
      run(`${repository}poolkeeper.example.yaml`, '--out', out),
      run(bad, '--out', join(folder, 'never.json')),
      run(join(folder, 'nowhere.yaml'), '--out', out),
      run('--to', out),
      run(old, '--out', join(folder, 'from-old.json')),
    ]);

    expect(results.map(({ code }) => code)).toEqual([0, 2, 2, 2, 0]);
    expect(results[4]?.lines).toEqual([
      `warning: ${old}:5:11 policy.renderSettle: is now policy.internals.renderSettle; it still works here`,
    ]);
    expect(results[1]?.lines).toEqual([
      `${bad}:5:1 polcy: unknown key; did you mean \`policy\`?`,
      `${bad}:6:1 alert: unknown key; did you mean \`alerts\`?`,
    ]);
    expect(results[3]?.lines).toEqual([expect.stringMatching(/^usage: /)]);
    await expect(readFile(join(folder, 'never.json'))).rejects.toThrow('ENOENT');
  });
});

describe('lengths of time and slips of the pen', () => {
  it.each([
    ['45s', 45],
    ['15m', 900],
    ['1h30m', 5400],
    ['1h', 3600],
    ['1h0m5s', 3605],
    ['0s', 0],
  ])('%s are %i seconds', (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds);
  });

  it('every whole number of seconds is written so that it is read back', () => {
    const some = [0, 1, 59, 60, 61, 3599, 3600, 3661, 5400, 86_400, 604_800];

    const back = some.map((seconds) => durationSeconds(durationText(seconds)));

    expect(back).toEqual(some);
  });

  it.each([
    ['', ['abc'], undefined],
    ['abc', ['abd', 'abc'], 'abc'],
    ['protecton', ['projection', 'protection'], 'protection'],
    ['hihg', ['hive', 'high'], 'high'],
    ['kitten', ['sitting'], 'sitting'],
  ])(
    'of an insertion, a deletion, a replacement and a swap each is one edit: %s among %j is %s',
    (a, candidates, b) => {
      expect(nearest(a, candidates)).toBe(b);
    },
  );

  it.each([
    ['skipTlsVerify', 'skipTLSVerify'],
    ['expectSyncWithinSeconds', 'expectSyncWithin'],
    ['nothingLikeIt', undefined],
  ])('%s was meant as %s', (written, meant) => {
    expect(nearest(written, ['server', 'skipTLSVerify', 'expectSyncWithin'])).toBe(meant);
  });
});
