import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { CalendarAddress } from '../../../functions/core/configuration/calendar-address.ts';
import { type ClusterSettings, defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import type { FilesRead } from '../../../functions/core/routing/changed-file.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { calendarId } from '../../../functions/core/windows/kept-calendars.ts';
import { naming } from '../../fakes/index.ts';
import { hookOfTheArticle } from '../core/openshift/hook-of-the-article.ts';
import {
  adding,
  changing,
  chrony,
  cluster,
  filesOf,
  live,
  liveConfig,
  manifestOf,
  nodesApplication,
  predict,
} from './pull-world.ts';

describe('what a pull request would do', () => {
  test('[N-14] [S1-15] pools, nodes, class, decoded difference, time and open holds', async () => {
    const { comment, status } = await predict();

    expect(status).toBe('Reboots 3 nodes: worker, about 45 min, held now.');
    expect(comment).toContain('| `cluster 1` | `worker` | 3 | **reboot** | about 45 min');
    expect(comment).toContain('-pool old\n+pool new');
    expect(comment).toContain('is held since 2026-03-02 10:00 UTC (sync)');
  });

  test('[N-14] [N-16] [N-8] says what its rollout will wait for: the next window, closed gates, and what will be asked', async () => {
    const configured: ClusterSettings = {
      name: cluster,
      api: { server: 'https://api.example.com:6443', tokenSecret: 'a', skipTLSVerify: false },
      policy: defaultPolicy,
      pools: {
        worker: {
          ...defaultPoolSettings,
          approve: Approve.parse({ by: ['slack:U0000ALICE', 'slack:U0000000BOB'], needed: 2 }),
        },
      },
      windows: [
        Window.parse({ kind: 'allow', schedule: '0 22 * * 2', durationSeconds: 8 * 3600, timeZone: 'Europe/Berlin' }),
      ],
    };

    const waiting = await predict({ clusters: [configured] });
    const free = await predict({ clusters: [{ ...configured, pools: {}, windows: [] }] });

    expect(waiting.comment).toContain(
      '- `worker` of `cluster 1`: next window 2026-11-24 21:00:00 UTC to 2026-11-25 05:00:00 UTC; closed now: gate window \\(no allow window open, opens 2026-11-24 21:00:00 UTC\\); needed before: gate approval \\(2 approvals\\)',
    );
    expect(waiting.comment).not.toContain('U0000ALICE');
    expect(free.comment).not.toContain('Before it rolls out');
  });

  test('[N-14] [N-9] counts with the maxUnavailable that the change brings, and warns of it where nothing else changes', async () => {
    const pool = (maxUnavailable: number | string) =>
      JSON.stringify({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfigPool',
        metadata: { name: 'worker' },
        spec: { maxUnavailable },
      });
    const faster = {
      path: 'nodes/pool.json',
      before: { kind: 'text', text: pool(1) },
      after: { kind: 'text', text: pool('100%') },
    } as const;
    const change = changing(chrony('pool old\n'), chrony('pool new\n'));

    const both = await predict({ files: { ...change, files: [...change.files, faster] } });
    const alone = await predict({ files: { ...change, files: [faster] } });

    expect(both.status).toBe('Reboots 3 nodes: worker, about 15 min, held now.');
    expect(both.comment).toContain('3 nodes, all at once');
    for (const { comment, isCommented } of [both, alone]) {
      expect(isCommented).toBe(true);
      expect(comment).toContain('Pool worker may lose 3 of its 3 nodes at once');
    }
  });

  test('[N-9] [N-14] the duration is by the own pace of the pool, where that is known, and says by what', async () => {
    const reboots = Array.from({ length: 12 }, (_, nth) => (nth < 10 ? 480 : 1200));

    const own = await predict({ reboots });
    const few = await predict({ reboots: reboots.slice(0, 7) });
    const unread = await predict({ reboots, isTableDown: true });

    expect(own.status).toBe('Reboots 3 nodes: worker, about 24 min, held now.');
    expect(own.comment).toContain(
      '| about 24 min, 60 min if slow: 3 nodes, one at a time, 8 min each, by its last 12 node rollouts |',
    );
    expect(own.comment).toContain("Durations by the pool's own last node rollouts");
    for (const { comment } of [few, unread]) {
      expect(comment).toContain('| about 45 min: 3 nodes, one at a time, 15 min each |');
      expect(comment).toContain('Durations at the pace that');
    }
  });

  test('[N-8] [N-9] [N-14] a rollout that would overrun the open window is said, and a calendar that is not known too', async () => {
    const withWindow = (window: object, overrun: 'wait' | 'part') => ({
      clusters: [
        {
          name: cluster,
          api: { server: 'https://api.example.com:6443', tokenSecret: 'a', skipTLSVerify: false },
          policy: defaultPolicy,
          pools: { worker: { ...defaultPoolSettings, overrun } },
          windows: [Window.parse(window)],
        },
      ],
    });
    const tillEleven = withWindow({ kind: 'allow', from: '2026-11-22', to: '2026-11-22T11:00' }, 'wait');
    const calendarFrom = { url: 'https://calendar.example.com/secret/a.ics' };
    const byAddress = withWindow({ kind: 'deny', calendarFrom }, 'part');
    const text =
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261122T000000Z\nDTEND:20261123T000000Z\nEND:VEVENT\nEND:VCALENDAR\n';
    const readAt = '2026-11-22T09:00:00Z';
    const kept = [{ id: calendarId(CalendarAddress.parse(calendarFrom)), triedAt: readAt, copy: { text, readAt } }];

    const long = await predict({ ...tillEleven, reboots: Array.from({ length: 20 }, () => 1800) });
    const short = await predict({ ...tillEleven, reboots: Array.from({ length: 20 }, () => 600) });
    const unknown = await predict(byAddress);
    const known = await predict({ ...byAddress, kept });

    expect(long.comment).toContain('its window is open until 11:00:00 UTC; closed now: gate fit \\(90 min\\)');
    expect(short.comment).not.toContain('gate fit');
    expect(unknown.comment).toContain('its windows follow a calendar that is not known here');
    expect(known.comment).toContain('next window 2026-11-23 00:00:00 UTC');
    expect(`${unknown.comment}${known.comment}`).not.toMatch(/calendar\.example|secret/);
  });

  test('[N-14] names no cluster, Application or holder unless it is asked to', async () => {
    const hidden = await predict();
    const shown = await predict({ settings: { clusterNames: 'show' } });

    expect(`${hidden.comment}${hidden.status}`).not.toMatch(/prod-secret-site|nodes-of-site|private-app/);
    expect(shown.comment).toMatch(/prod-secret-site/);
    expect(shown.comment).toMatch(/nodes-of-site/);
    expect(shown.comment).toMatch(/private-app/);
  });

  test('[N-14] of what is only in the cluster it shows the name and never the content', async () => {
    const machineConfigs = [live('98-worker-private', 'pool canary.internal\n')];
    const drifted = [live('99-worker-chrony', 'pool canary.drift\n')];
    const files = changing('', chrony('pool new\n'));

    const added = await predict({ machineConfigs, files });
    const changed = await predict({ machineConfigs: drifted });

    expect(added.comment).toContain('it replaces that of MachineConfig 98-worker-private');
    expect(`${added.comment}${changed.comment}`).not.toContain('canary');
    expect(changed.comment).toContain('-pool old');
  });

  test('[N-14] [N-30] nothing that is guessed of what is only in the cluster is answered by a warning', async () => {
    const guesses = ['"auth":"q7hun', '"auth":"q7huz'];
    const edited = ['/etc/of-the-cluster', '/etc/of-nobody'];
    const spec = (files: readonly object[]) => ({ config: { ignition: { version: '3.4.0' }, storage: { files } } });
    const text = (path: string, value: string, mode = 0o755) => ({
      path,
      mode,
      contents: { source: `data:,${encodeURIComponent(value)}` },
    });
    const scripts = [
      ...guesses.map((guess) => text(guess, '#!/bin/sh')),
      ...edited.map((path, at) => text(`/usr/local/bin/edit-${at}`, `#!/bin/sh\nsed -i s/a/b/ ${path}`)),
    ];
    const config = {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { name: '99-guess', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
      spec: spec(scripts),
    };
    const secret = { ...live('00-worker', ''), spec: spec([text('/etc/of-the-cluster', '{"auth":"q7hunter2"}')]) };
    const files = changing('', JSON.stringify(config));

    const [known, unknown] = await Promise.all([
      predict({ files, machineConfigs: [secret] }),
      predict({ files, machineConfigs: [live('00-worker', '')] }),
    ]);

    expect(known.comment).toContain('is a script, and no unit of this change runs it');
    expect(known.comment).toBe(unknown.comment);
  });

  test('[N-14] [S1-17] a secret of the repository itself is masked', async () => {
    const files = changing(chrony('pool old\n'), chrony('password = hunter2-canary\n'));

    const { comment } = await predict({ files });

    expect(comment).not.toContain('canary');
    expect(comment).toContain('[masked]');
  });

  test('[N-14] a cluster that does not answer is said, without its address', async () => {
    const { comment, status } = await predict({ isSilent: true });

    expect(status).toBe('1 cluster not checked: nodes may reboot there.');
    expect(comment).toContain('`cluster 1` could not be read');
    expect(comment).not.toMatch(/10\.1\.2\.3|prod-secret/);
  });

  test('[S0-25] names the hooks that pause pools by themselves, what to remove and what replaces them', async () => {
    const added = (path: string, text: string) =>
      ({ path, before: { kind: 'absent' }, after: { kind: 'text', text } }) as const;
    const files = {
      files: [
        added('nodes/pre.yaml', hookOfTheArticle('PreSync', true)),
        added('nodes/post.yaml', hookOfTheArticle('PostSync', false)),
      ],
      tools: [],
      incomplete: undefined,
    };

    const { comment } = await predict({ files });

    expect(comment).toContain('mcp-worker-paused');
    expect(comment).toContain('is a PreSync hook that pauses pool worker by itself');
    expect(comment).toContain('Remove nodes/post.yaml');
    expect(comment).toContain('poolkeeper manifests prints for level handshake');
  });

  test('[S1-21] a Butane file is named, and never told as harmless', async () => {
    const text = 'variant: openshift\nversion: 4.16.0\nmetadata: { name: 99-worker-a }\n';
    const files = {
      files: [{ path: 'nodes/a.bu', before: { kind: 'absent' }, after: { kind: 'text', text } } as const],
      tools: [],
      incomplete: undefined,
    };

    const { comment, status } = await predict({ files });

    expect(comment).toContain('nodes/a.bu');
    expect(comment).toContain('Argo CD applies nothing of a Butane file');
    expect(status).not.toContain('no node');
  });

  test('[N-30] [N-14] an annotation that is ignored is said, without the name of the Application', async () => {
    const applications = [{ ...nodesApplication, ...naming('infra', { mayAdd: false, mayRemove: false }) }];

    const { comment } = await predict({ applications });

    expect(comment).toMatch(/an Application: its annotation .*poolkeeper\.dev\/pools.* is ignored/);
    expect(comment).toMatch(/poolkeeper doctor prints the entry/);
    expect(comment).not.toMatch(/nodes-of-site|openshift-gitops/);
    expect((await predict()).comment).not.toMatch(/annotation/);
  });

  test('[N-30] [N-14] pools that an annotation may add are previewed, and what it may not take away too', async () => {
    const adding = { ...nodesApplication, ...naming('worker', { mayRemove: false }) };
    const files = changing('', 'kind: ConfigMap\napiVersion: v1\nmetadata: { name: x }\n');

    const added = await predict({ applications: [adding], files });
    const left = await predict({ applications: [{ ...nodesApplication, ...naming('none', { mayRemove: false }) }] });

    expect(added.comment).toContain('`worker`');
    expect(left.status).toBe('Reboots 3 nodes: worker, about 45 min, held now.');
  });

  test('[N-29] a repository that nothing watched names is said to be that: it may be deployed by another name', async () => {
    const other = {
      ...nodesApplication,
      sources: nodesApplication.sources.map((each) => ({ ...each, repoURL: 'https://github.com/acme/platform-old' })),
    };

    const { status } = await predict({ applications: [other] });

    expect(status).toBe('No watched Application names this repository.');
  });

  test('[N-29] what Applications deploy by the earlier name of the repository is predicted', async () => {
    const sources = nodesApplication.sources.map((each) => ({
      ...each,
      repoURL: 'git@github.com:acme/platform-old.git',
    }));

    const { status } = await predict({
      applications: [{ ...nodesApplication, sources }],
      renamed: { 'github.com/acme/platform-old': 'github.com/acme/platform' },
    });

    expect(status).toBe('Reboots 3 nodes: worker, about 45 min, held now.');
  });

  const followed = (repository: string, name = 'other') => ({
    ...nodesApplication,
    name,
    resources: [],
    sources: nodesApplication.sources.map((each) => ({
      ...each,
      targetRevision: 'dev',
      repoURL: `https://${repository}`,
    })),
  });

  test.each([
    ['with no answer', new Transient('GitHub wants us to wait')],
    ['refused', new Misconfigured(['is the App installed there?'])],
  ])('[N-29] [N-30] no calm verdict where an earlier name could not be learnt: %s', async (_, why) => {
    const old = followed('github.com/acme/platform-old', 'nodes');
    const unlearnt = { 'github.com/acme/platform-old': why };

    const { status, isCommented } = await predict({
      applications: [old, followed('github.com/acme/platform')],
      unlearnt,
    });

    expect(status).toBe('No watched Application deploys this, as far as known: 1 repository name could not be read.');
    expect(isCommented).toBe(false);
  });

  const old = 'github.com/oldorg/infra';
  const values = { before: { kind: 'text', text: 'a: 1\n' }, after: { kind: 'text', text: 'a: 2\n' } } as const;

  test.each([
    ['values beside a chart elsewhere, no answer', new Transient('GitHub wants us to wait'), 'values/nodes.yaml', []],
    ['a file that Kustomize reads, no answer', new Transient('GitHub wants us to wait'), 'files/chrony.conf', []],
    ['values of a chart, refused', new Misconfigured(['?']), 'nodes/values.yaml', [{ folder: 'nodes', tool: 'helm' }]],
  ] as const)('[N-29] [N-30] nor where a tool may render it from other files: %s', async (_, why, path, tools) => {
    const old = followed('github.com/acme/platform-old', 'nodes');

    const { status } = await predict({
      applications: [old, followed('github.com/acme/platform')],
      unlearnt: { 'github.com/acme/platform-old': why },
      files: { files: [{ path, ...values }], tools, incomplete: undefined },
    });

    expect(status).toBe('No watched Application deploys this, as far as known: 1 repository name could not be read.');
  });

  test('[N-29] [N-30] nor where there are more names than are asked, until their answers are at hand', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `github.com/acme/app-${index}`);
    const applications = ['github.com/acme/platform', ...names].map((name) => followed(name, name));

    const first = await predict({ applications });
    const second = await predict({ applications, keptNames: names.slice(0, 50) });

    expect(first.status).toContain('as far as known: 10 repository names could not be read.');
    expect(second.status).toBe('No watched Application deploys this: no node is disrupted.');
  });

  const many = Array.from({ length: 120 }, (_, index) => `github.com/acme/app-${index}`);
  const chart = { folder: 'nodes', tool: 'helm' } as const;
  const ofChart = { files: [{ path: 'src/main.go', ...values }], tools: [chart], incomplete: undefined };
  const answered = '2026-11-21T20:00:00Z';

  test('[N-14] [N-30] a fleet of many repositories that keep-pools has asked for leaves it calm', async () => {
    const { status } = await predict({
      applications: ['github.com/acme/platform', ...many].map((name) => followed(name, name)),
      storedNames: many.map((name) => ({ name, askedAt: answered })),
      // Whoever were asked would not answer.
      unlearnt: Object.fromEntries(many.map((name) => [name, new Transient('GitHub wants us to wait')])),
      files: ofChart,
    });

    expect(status).toBe('No watched Application deploys this: no node is disrupted.');
  });

  test.each([
    ['answered long ago', { askedAt: '2026-11-19T20:00:00Z' }],
    ['not answered', { askedAt: answered, isUnanswered: true }],
    ['asked by a clock that was ahead', { askedAt: '2027-01-01T00:00:00Z' }],
  ] as const)('[N-29] [N-30] but not where they were %s, and are too many to ask', async (_, stored) => {
    const { status } = await predict({
      applications: ['github.com/acme/platform', ...many].map((name) => followed(name, name)),
      storedNames: many.map((name) => ({ name, ...stored })),
      files: ofChart,
    });

    expect(status).toContain('as far as known: 70 repository names could not be read.');
  });

  test.each([
    ['was not answered', { askedAt: answered, isUnanswered: true }],
    ['was refused a month ago', { askedAt: '2026-10-20T20:00:00Z', isUnanswered: true, isRefused: true }],
  ] as const)('[N-29] [N-30] nor where the one that brings it %s, behind strangers', async (_, stored) => {
    const strangers = Array.from({ length: 60 }, (_each, index) => `github.com/team-${index}/app`);
    const sources = nodesApplication.sources.map((each) => ({ ...each, repoURL: 'https://github.com/former/nodes' }));
    const { status } = await predict({
      applications: [...strangers.map((name) => followed(name, name)), { ...nodesApplication, sources }],
      storedNames: [...strangers, 'github.com/former/nodes'].map((name) => ({ name, ...stored })),
    });

    expect(status).toContain('as far as known: 11 repository names could not be read.');
  });

  test('[N-14] [N-30] a large fleet whose repositories are asked for every few days leaves it calm', async () => {
    const fleet = Array.from({ length: 60 }, (_each, index) => `github.com/team-${index}/app`);
    const { status } = await predict({
      applications: ['github.com/acme/platform', ...fleet].map((name) => followed(name, name)),
      storedNames: fleet.map((name) => ({ name, askedAt: '2026-11-19T20:00:00Z' })),
      files: ofChart,
    });

    expect(status).toBe('No watched Application deploys this: no node is disrupted.');
  });

  test('[N-29] what keep-pools has learnt counts, however many others are followed', async () => {
    const world = {
      applications: [
        ...many.map((name) => followed(name, name)),
        {
          ...nodesApplication,
          sources: nodesApplication.sources.map((each) => ({ ...each, repoURL: `https://${old}` })),
        },
      ],
      storedNames: [
        ...many.map((name) => ({ name, askedAt: answered })),
        { name: old, now: 'github.com/acme/platform', askedAt: '2026-11-10T20:00:00Z', isUnanswered: true as const },
      ],
    };

    const { status } = await predict(world);

    expect(status).toBe('Reboots 3 nodes: worker, about 45 min, held now.');
  });

  test('[decoy] [N-30] a link or a submodule beside a change renders none of it, whatever is refused', async () => {
    const tools = (['link', 'submodule'] as const).map((tool) => ({ folder: 'docs/latest', tool }));

    const { status } = await predict({
      applications: ['github.com/acme/platform', ...many].map((name) => followed(name, name)),
      files: { ...ofChart, tools },
    });

    expect(status).toBe('No watched Application deploys this: no node is disrupted.');
  });

  test('[N-29] [N-30] nor where strangers that are refused take the places, until their refusals are at hand', async () => {
    const strangers = Array.from({ length: 50 }, (_, index) => `github.com/stranger-${index}/charts`);
    const refused = new Misconfigured(['is the App installed there?']);
    const world = {
      applications: [
        ...['github.com/acme/platform', ...strangers].map((name) => followed(name, name)),
        {
          ...nodesApplication,
          sources: nodesApplication.sources.map((each) => ({ ...each, repoURL: `https://${old}` })),
        },
      ],
      unlearnt: Object.fromEntries(strangers.map((name) => [name, refused])),
      renamed: { [old]: 'github.com/acme/platform' },
    };

    const first = await predict(world);
    const second = await predict({ ...world, keptNames: strangers });

    expect(first.status).toContain('as far as known: 1 repository name could not be read.');
    expect(second.status).toBe('Reboots 3 nodes: worker, about 45 min, held now.');
  });

  test('[decoy] [N-30] strangers whose names are refused, and a change that no node has, leave it calm', async () => {
    const refused = new Misconfigured(['is the App installed there?']);
    const unlearnt = { 'github.com/argoproj/examples': refused, 'github.com/acme/platform-old': refused };
    const stranger = [followed('github.com/acme/platform'), followed('github.com/argoproj/examples')];
    const files = changing('', 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\n');

    const first = await predict({ applications: stranger, unlearnt });
    const second = await predict({
      applications: [...stranger, followed('github.com/acme/platform-old')],
      unlearnt,
      files,
    });

    expect([first.status, second.status]).toEqual(
      Array(2).fill('No watched Application deploys this: no node is disrupted.'),
    );
  });

  test('[N-14] nobody who deploys it: no node is disturbed', async () => {
    const other = {
      ...nodesApplication,
      sources: nodesApplication.sources.map((each) => ({ ...each, targetRevision: 'dev' })),
    };

    const { status } = await predict({ applications: [other] });

    expect(status).toBe('No watched Application deploys this: no node is disrupted.');
  });

  test('[N-14] a change too large to read is told as a reboot that may be', async () => {
    const files: FilesRead = { files: [], tools: [], incomplete: '50,000 files changed' };
    const resources = [
      {
        group: 'machineconfiguration.openshift.io',
        kind: 'MachineConfig',
        namespace: '',
        name: '99-worker-chrony',
        status: 'Synced',
      },
    ];

    const { status, comment } = await predict({ files, applications: [{ ...nodesApplication, resources }] });

    expect(status).toContain('May reboot 3 nodes');
    expect(comment).toContain('unknown, so **reboot**');
    expect(comment).toContain('50,000 files changed');
  });

  test('[N-29] [N-30] files that GitHub’s limit kept back assume the worst, and are to be read when it says', async () => {
    const unread = { kind: 'unread', why: 'GitHub limits our requests (file)' } as const;
    const files = [{ path: 'nodes/chrony.json', before: unread, after: unread }];

    const limited = await predict({ files: { files, tools: [], incomplete: undefined, keptBackSeconds: 600 } });
    const large = await predict({ files: { files, tools: [], incomplete: undefined } });

    expect(limited.status).toContain('May reboot 3 nodes');
    expect([limited, large].map(({ preview }) => preview.keptBackSeconds)).toEqual([600, undefined]);
  });

  test('[N-14] hostile names and contents stay inert, and the comment stays within GitHub’s limits', async () => {
    const hostile = 'x</summary><script>alert(1)</script> @everyone #1 ![i](http://evil) ````\n';
    const files = changing(chrony('a\n'), chrony(hostile.repeat(3000)));

    const { comment, status } = await predict({ files });

    const outsideCode = comment.replace(/^(`{3,})[\s\S]*?^\1$/gm, '').replace(/`[^`\n]*`/g, '');
    expect(outsideCode).not.toMatch(/<script|@everyone|!\[i\]/);
    expect(comment.length).toBeLessThan(65_536);
    expect(status.length).toBeLessThanOrEqual(140);
  });

  test('[N-14] [N-30] a pull request of any size is looked at in a bounded number of characters, with turns for others between', async () => {
    const source = `data:,%23!/bin/sh%0Areboot%0A${'|a'.repeat(117_000)}${'%0A%23'.repeat(2_200)}`;
    const files = Array.from({ length: 12 }, (_, at) => ({
      path: `/etc/cron.d/${at}`,
      mode: 493,
      contents: { source },
    }));
    const config = (name: string) =>
      JSON.stringify({
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfig',
        metadata: { name, labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
        spec: { config: { ignition: { version: '3.2.0' }, storage: { files } } },
      });
    const turns = { count: 0 };
    const all = ['50-a', '50-b'].map((name) => ({
      path: `nodes/${name}.json`,
      before: { kind: 'absent' as const },
      after: { kind: 'text' as const, text: config(name) },
    }));

    const { comment, status } = await predict({
      files: { files: all, tools: [], incomplete: undefined },
      yieldToEventLoop: async () => {
        turns.count += 1;
      },
    });

    expect(status).toContain('Reboots 3 nodes: worker');
    expect(comment).toContain('MachineConfig 50-a: file /etc/cron.d/0, line 2: restarts or stops the node');
    expect(comment).toContain('MachineConfig 50-b: 3 of its files and units were not looked at');
    expect(comment).toMatch(
      /⚠ security: scheduled commands, content not looked at\n+```diff\n\(not shown: the whole change is too large\)/,
    );
    // One Application, two MachineConfigs, nine files that are described, and twice for the cluster.
    expect(turns.count).toBe(14);
  });

  /** Two MachineConfigs before and after: kernel arguments, and a line in each of twenty scripts. */
  const withScripts = (linesOfEach: number): FilesRead => {
    const script = (at: number, last: string) => `#!/bin/sh\n${`echo ${at}\n`.repeat(linesOfEach - 2)}${last}\n`;
    const scripts = (last: string) =>
      filesOf(Array.from({ length: 20 }, (_, at) => ({ path: `/usr/local/bin/s${at}`, text: script(at, last) })));
    const changed = (name: string, before: object, after: object) => ({
      path: `nodes/${name}.json`,
      before: { kind: 'text' as const, text: manifestOf(name, before) },
      after: { kind: 'text' as const, text: manifestOf(name, after) },
    });
    const old = { kernelArguments: ['audit=1', 'mitigations=auto'] };
    const now = { kernelArguments: ['audit=0', 'mitigations=off', 'selinux=0'], kernelType: 'realtime' };
    const files = [changed('50-args', old, now), changed('60-scripts', scripts('exit 1'), scripts('exit 0'))];
    return { files, tools: [], incomplete: undefined };
  };

  test('[N-14] [S1-15] a line in each of twenty scripts of 300 lines is shown', async () => {
    const { comment } = await predict({ files: withScripts(300) });

    expect(comment.match(/^\+exit 0$/gm)).toHaveLength(20);
    expect(comment).not.toContain('too large');
  });

  test('[N-14] [S1-15] [N-30] what was looked at before there was no room left is shown, also where it is no file', async () => {
    const { comment } = await predict({ files: withScripts(1_000) });

    expect(comment).toContain('not shown: the whole change is too large');
    expect(comment).toContain('+selinux=0');
    expect(comment).toContain('security: SELinux, CPU mitigations, audit');
    expect(comment).toContain('+realtime');
  });

  test('[N-14] [N-30] what is computed for several clusters is no piece of work at one turn: each waits for its own', async () => {
    const turns = { taken: 0, waiting: 0, atOnce: 0 };

    const { preview } = await predict({
      second: [nodesApplication],
      yieldToEventLoop: async () => {
        turns.taken += 1;
        turns.waiting += 1;
        turns.atOnce = Math.max(turns.atOnce, turns.waiting);
        await setImmediate();
        turns.waiting -= 1;
      },
    });

    expect(preview.clusters.map(({ pools }) => pools.length)).toEqual([1, 1]);
    // Two Applications, one MachineConfig, and twice and for its file for each of two clusters.
    expect(turns).toEqual({ taken: 9, waiting: 0, atOnce: 1 });
  });

  test('[N-14] [N-29] [S1-15] what is shown of a change, and its security topics, do not depend on how long the live files are', async () => {
    const paths = Array.from({ length: 9 }, (_, at) => `/etc/app-${at}.conf`);
    const foreign = (length: number) => [liveConfig('10-foreign', paths, 'x'.repeat(length))];
    const files = adding('50-own', [
      ...paths.map((path) => ({ path, text: 'y\n' })),
      { path: '/etc/myapp.conf', text: 'PermitRootLogin yes\n' },
    ]);

    const [short, long] = await Promise.all(
      [1_000, 240_000].map((length) => predict({ files, machineConfigs: foreign(length) })),
    );

    expect(long?.comment).toMatch(/^`file \/etc\/myapp\.conf` added, from `50-own` ⚠ security: sshd$/m);
    expect(long?.comment).toContain('+PermitRootLogin yes');
    expect(long?.comment).toBe(short?.comment);
  });

  test('[S1-15] security topics of all that Git has are told, also of the second MachineConfig that sets a file', async () => {
    const files = [
      { path: '/etc/myapp.conf', text: 'Port 22\n' },
      { path: '/etc/myapp.conf', text: 'PermitRootLogin yes\n' },
    ].flatMap((file, at) => adding(`5${at}-own`, [file]).files);

    const { comment } = await predict({ files: { files, tools: [], incomplete: undefined } });

    expect(comment).toMatch(/^`file \/etc\/myapp\.conf` added, from `51-own` ⚠ security: sshd$/m);
  });

  test('[S1-15] of what only the cluster has, the topics are said not to be looked at', async () => {
    const files = adding('50-own', [{ path: '/etc/other.conf', text: 'y\n' }]);

    const { comment } = await predict({
      files,
      machineConfigs: [liveConfig('50-own', ['/etc/myapp.conf'], 'PermitRootLogin yes\n')],
    });

    expect(comment).toMatch(/^`file \/etc\/myapp\.conf` removed, from `50-own` \(content not looked at\)$/m);
    expect(comment).not.toContain('PermitRootLogin');
  });

  test('[N-14] [N-29] keys of NTP do not stand in the comment, which says that they are in Git', async () => {
    const keys = (word: string) => chrony(`1 SHA1 ASCII:${word}\n`).replace('/etc/chrony.conf', '/etc/chrony.keys');

    const { comment } = await predict({ files: changing(keys('old-hunter1'), keys('new-hunter2')) });

    expect(comment).not.toContain('hunter');
    expect(comment).toContain('file /etc/chrony.keys looks like a secret');
  });

  test.each([
    ['/usr/local/bin/a.sh', '#!/bin/bash\necho "core:hunter2" | chpasswd\n', 'added'],
    [
      '/usr/local/bin/a.sh',
      '#!/bin/bash\ncat > /etc/chrony.keys <<EOF\n1 SHA1 ASCII:hunter2\nEOF\n',
      '+cat > /etc/chrony.keys',
    ],
    [
      '/etc/systemd/system/a.service',
      '[Service]\nExecStart=/usr/bin/ipmitool \\\n  -P hunter2 chassis status\n',
      'chassis status',
    ],
    ['/etc/kubernetes/manifests/a.yaml', 'env:\n- name: DB_PASSWORD\n  value: hunter2\n', '- name: DB_PASSWORD'],
    [
      '/etc/keepalived/keepalived.conf',
      'authentication {\n  auth_type PASS\n  auth_pass hunter2\n}\n',
      'auth_type PASS',
    ],
    ['/etc/snmp/snmpd.conf', 'com2sec notConfigUser  default  hunter2\n', 'com2sec notConfigUser'],
    ['/etc/app/config.yaml', 'passwords:\n- hunter2\n', '+passwords:'],
  ])(
    '[N-14] [S1-15] a password in %s does not stand in the comment, and what is around it does',
    async (path, text, around) => {
      const { comment } = await predict({ files: adding('50-worker-own', [{ path, text }]) });

      expect(comment).not.toContain('hunter2');
      expect(comment).toContain('[masked]');
      expect(comment).toContain(around);
    },
  );
});
