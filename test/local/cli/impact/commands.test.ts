import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ImpactDocument } from '../../../../functions/core/impact/report/json.ts';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { impact } from '../../../../local/cli/impact/impact.ts';
import { impactJsonSchemaText } from '../../../../local/cli/impact/json-schema.ts';
import { type GithubApi, startGithubApi } from '../../../../local/github/github-api.ts';
import { machineConfigManifest } from '../../../../local/openshift/machine-config/machine-config-manifest.ts';
import { application, type ReferenceWorld } from '../../../../local/openshift/reference-world.ts';
import { startStub } from '../../../functions/adapters/stub-server.ts';
import { startReferenceWorld } from '../../openshift/start-reference-world.ts';
import { createVirtualClock } from '../../openshift/virtual-clock.ts';

/** A cluster as `admin@prod` of a kubeconfig and as `prod-eu-1` of a poolkeeper.yaml, its repository at GitHub as
 *  `acme/platform` and cloned here, with a change on the branch `topic`, which is checked out: what docs/impact.md
 *  speaks of. */
const gitOrigin = 'https://github.com';
const chrony = 'machine-config/worker-chrony.json';
const docs = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const here = process.cwd();

let folder = '';
let world: ReferenceWorld;
let github: GithubApi;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-impact-'));
  const clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  world = await startReferenceWorld({ clock, gitOrigin, token: 'service-token' });
  await clock.advance(60_000);
  github = await startGithubApi({ host: world.openshift.git, origin: gitOrigin });
  await writeFile(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig()));
  await writeFile(join(folder, 'poolkeeper.yaml'), JSON.stringify(configuration()));
  environment = {
    KUBECONFIG: join(folder, 'kubeconfig'),
    GITHUB_TOKEN: 'github-token',
    GITHUB_API_URL: github.api,
    POOLKEEPER_TOKEN_PROD: 'service-token',
  };
  const before = world.repository.head('main')?.files ?? new Map<string, string>();
  const after = new Map([...before, [chrony, changed('ntp9.example.com')]]);
  world.repository.push({ branch: 'topic', message: 'time', files: Object.fromEntries(after) });
  await layOut('before', before);
  await layOut('after', after);
  git('init', '-q', '-b', 'main');
  git('remote', 'add', 'origin', 'git@github.com:acme/platform.git');
  await layOut('.', before);
  commit();
  git('checkout', '-q', '-b', 'topic');
  await layOut('.', after);
  commit();
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(here);
  await Promise.all([world.openshift.stop(), github.close()]);
  await rm(folder, { recursive: true });
});

function kubeconfig() {
  const { url, token } = world.openshift;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'elsewhere',
    contexts: [{ name: 'admin@prod', context: { cluster: 'prod', user: 'admin' } }],
    clusters: [{ name: 'prod', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
  };
}

/** The Argo CD runs in `hub` and deploys to `prod-eu-1`; both are the one simulated cluster. */
function configuration() {
  const { url } = world.openshift;
  const api = { tokenSecret: 'POOLKEEPER_TOKEN_PROD', skipTLSVerify: true };
  const destinations = [{ server: 'https://kubernetes.default.svc', cluster: 'prod-eu-1' }];
  return {
    clusters: [
      { name: 'prod-eu-1', api: { server: url, ...api } },
      { name: 'hub', api: { server: url.replace('127.0.0.1', 'localhost'), ...api } },
    ],
    argocd: [{ name: 'gitops', cluster: 'hub', namespaces: ['openshift-gitops'], destinations }],
  };
}

function changed(server: string): string {
  return JSON.stringify(
    machineConfigManifest('99-worker-chrony', 'worker', { '/etc/chrony.conf': `server ${server}\n` }),
  );
}

async function layOut(place: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(join(folder, place, path, '..'), { recursive: true });
    await writeFile(join(folder, place, path), text);
  }
}

function git(...args: readonly string[]): void {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', ['-C', folder, ...who, ...args], { stdio: 'ignore' });
}

function commit(): void {
  git('add', chrony);
  git('commit', '-q', '-m', 'time');
}

async function run(line: string, env: Readonly<Record<string, string>> = environment) {
  const out: string[] = [];
  const notes: string[] = [];
  const status = await impact.run(line.trim().split(/\s+/).slice(2), {
    out: (text) => out.push(text),
    note: (text) => notes.push(text),
    environment: env,
    now: () => new Date('2026-03-02T08:01:00Z'),
    folders: { own: folder, current: folder },
  });
  return { status, text: out.join(''), notes: notes.join('\n') };
}

function clustersOf({ text }: { readonly text: string }) {
  return ImpactDocument.parse(JSON.parse(text)).clusters;
}

/** Without what stands behind the command: a comment, or where its output goes. */
function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/^ *(poolkeeper impact [^#>(\n]*)/gm)].map(([, command = '']) => command.trim());
}

describe('every command that is shown', () => {
  test('[S1-15] in docs/impact.md does what it says, one after the other', async () => {
    const commands = commandsIn(await readFile(`${docs}impact.md`, 'utf8'));

    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) expect(await run(command), command).toMatchObject(expected(command));
  });

  test('in its help too', async () => {
    const commands = commandsIn(impact.help);
    const sorted = commands.toSorted((a, b) => Number(b.includes('--record')) - Number(a.includes('--record')));

    expect(commands.length).toBeGreaterThan(3);
    for (const command of sorted) expect(await run(command), command).toMatchObject(expected(command));
  });

  function expected(command: string) {
    if (command.includes('--record')) return { status: 0, notes: expect.stringContaining('in prod.json') };
    const isFailing = command.includes('--fail-on');
    return { status: isFailing ? 3 : 0, text: expect.stringMatching(/worker[\s\S]*\+server ntp9\.example\.com/) };
  }
});

describe('poolkeeper impact --repo owner/name', () => {
  const command = 'poolkeeper impact --repo acme/platform --from main --to topic';

  test('[S1-15] says the same of a change at GitHub as of a clone of it', async () => {
    const remote = await run(`${command} --cluster prod-eu-1 --output json`);
    const local = await run('poolkeeper impact --repo . --from main --to topic --cluster prod-eu-1 --output json');

    expect(clustersOf(remote)).toEqual(clustersOf(local));
    expect(clustersOf(remote)).toMatchObject([
      { cluster: 'prod-eu-1', applications: [`openshift-gitops/${application}`], pools: [{ pool: 'worker' }] },
    ]);
    expect(github.authorizations).toEqual(new Set(['Bearer github-token']));
  });

  test('[N-16] [N-8] says what the rollout will wait for, by the configuration of the cluster', async () => {
    const windows = [{ kind: 'deny', from: '2026-03-01', to: '2026-03-05', description: 'month end' }];
    await writeFile(join(folder, 'closed.yaml'), JSON.stringify({ ...configuration(), windows }));
    const line = 'poolkeeper impact --repo . --from main --to topic --cluster prod-eu-1 --config closed.yaml';
    const words = 'next window 2026-03-05 00:00:00 UTC, without an end within a year; closed now: gate window';

    const { text } = await run(line);
    const markdown = await run(`${line} --output markdown`);
    const open = await run('poolkeeper impact --repo . --from main --to topic --cluster prod-eu-1');

    expect(text).toContain(
      `Before it rolls out\n  worker: ${words} (1 deny window open, opens 2026-03-05 00:00:00 UTC)`,
    );
    expect(markdown.text).toContain(`- \`worker\` of \`prod-eu-1\`: ${words}`);
    expect(open.text).not.toContain('Before it rolls out');
  });

  test('[N-9] [N-16] in JSON says ahead what a person is told: the window, the gates, and how long by what', async () => {
    const windows = [{ kind: 'deny', from: '2026-03-01', to: '2026-03-05', description: 'month end' }];
    await writeFile(join(folder, 'closed.yaml'), JSON.stringify({ ...configuration(), windows }));
    const line = 'poolkeeper impact --repo . --from main --to topic --cluster prod-eu-1 --output json';
    const pace = { usualMinutes: 8, slowMinutes: 20, rollouts: 12 };
    const status = await startStub(() => ({
      body: { clusters: [{ name: 'prod-eu-1', pools: [{ name: 'worker', pace }, { name: 'master' }] }] },
    }));

    const [planned] = clustersOf(await run(`${line} --config closed.yaml`));
    const [own] = clustersOf(await run(`${line} --config closed.yaml --status ${status.url}`));
    const text = await run(`${line.replace('json', 'text')} --status ${status.url}`);

    expect(planned).toMatchObject({
      pools: [
        {
          estimate: { minutes: 45, atOnce: 1, text: 'about 45 min: 3 nodes, one at a time, 15 min each' },
          ahead: {
            window: { kind: 'next', from: '2026-03-05T00:00:00.000Z' },
            closedGates: [
              {
                gate: 'window',
                found: '1 deny window open',
                needed: 'no deny window open',
                opensAt: '2026-03-05T00:00:00.000Z',
              },
            ],
            neededGates: [],
          },
        },
      ],
    });
    expect(own).toMatchObject({ pools: [{ estimate: { minutes: 24, atMostMinutes: 60, rollouts: 12 } }] });
    expect(text.text).toContain('by its last 12 node rollouts');
    expect(status.seen).toMatchObject([{ path: '/status', query: { cluster: 'prod-eu-1' } }, {}]);
  });

  test.each([
    ['without a cluster', '--dir before after --status http://127.0.0.1:1', /--status needs --cluster/],
    [
      'that does not answer',
      '--repo . --from main --to HEAD --cluster prod-eu-1 --status http://127.0.0.1:1',
      /does not answer/,
    ],
  ])('[N-9] --status %s is refused', async (_, flags, why) => {
    await expect(run(`poolkeeper impact ${flags}`)).rejects.toThrow(why);
  });

  test.each([
    ['no token', command, { GITHUB_TOKEN: '' }, /set GITHUB_TOKEN/],
    ['an address in the clear', command, { GITHUB_API_URL: 'http://github.example.com' }, /must be an https/],
    [
      'another repository',
      command.replace('platform', 'other'),
      {},
      /not found at GitHub, or this token may not read it/,
    ],
    ['a branch that is none', command.replace('topic', 'absent'), {}, /--to absent: is not a commit of acme\/platform/],
  ])('[S1-15] is refused with %s', async (_, line, change, why) => {
    const refused = run(line, { ...environment, ...change });

    await expect(refused).rejects.toBeInstanceOf(Misconfigured);
    await expect(refused).rejects.toThrow(why);
  });
});

describe('poolkeeper impact --cluster', () => {
  const command = 'poolkeeper impact --repo . --from main --to HEAD';

  test('[S1-15] asks the Applications that deploy to it, in whatever cluster their Argo CD runs', async () => {
    const elsewhere = '--url https://github.com/acme/elsewhere';

    const asked = await run(`${command} --cluster prod-eu-1 --output json`);
    const askedInVain = await run(`${command} --cluster prod-eu-1 --output json ${elsewhere}`);
    const hub = await run(`${command} --cluster hub --output json ${elsewhere}`);

    expect(clustersOf(asked)).toMatchObject([{ applications: [`openshift-gitops/${application}`] }]);
    expect(clustersOf(askedInVain)).toMatchObject([{ applications: [], pools: [] }]);
    expect(clustersOf(hub)).toMatchObject([{ applications: [], pools: [{ pool: 'worker' }] }]);
    expect(hub.notes).toContain('Not limited to what Applications deploy');
  });

  test.each([
    ['--cluster absent', /--cluster absent: is not in .*poolkeeper.yaml, which has prod-eu-1, hub/],
    ['--cluster prod-eu-1 --config absent.yaml', /absent.yaml: cannot be read/],
    ['--cluster prod-eu-1 --context admin@prod', /--context and --cluster exclude each other/],
  ])('%s is refused', async (flags, why) => {
    await expect(run(`${command} ${flags}`)).rejects.toThrow(why);
  });

  test('without the token of the service says which variable is missing', async () => {
    const { POOLKEEPER_TOKEN_PROD: _, ...without } = environment;

    await expect(run(`${command} --cluster prod-eu-1`, without)).rejects.toThrow(/POOLKEEPER_TOKEN_PROD is not set/);
  });
});

describe('--output markdown', () => {
  const command = 'poolkeeper impact --repo . --from main --to HEAD --cluster prod-eu-1 --output markdown';

  test('[N-14] reads as the comment on a pull request does, with the names of the cluster', async () => {
    const { text } = await run(command);

    expect(text).toContain('**Reboots 3 nodes: worker, about 45 min.**');
    expect(text).toContain('| `prod-eu-1` | `worker` | 3 | **reboot** | about 45 min');
    expect(text).toContain('```diff');
    expect(text).toContain(`Deployed by \`openshift-gitops/${application}\``);
    expect(text).not.toContain('edited in place');
  });

  test('[N-14] leaves the diff out where that is wanted', async () => {
    const { text } = await run(`${command} --no-diff`);

    expect(text).toContain('`worker`');
    expect(text).not.toContain('```diff');
  });

  test('[N-14] without a cluster does not say that no Application deploys it', async () => {
    const { text } = await run('poolkeeper impact --dir before after --output markdown');

    expect(text).toContain('worker');
    expect(text).not.toContain('No watched Application');
  });
});

test('the JSON Schema in docs/schemas says what the code says (else: npm run schemas)', async () => {
  expect(await readFile(`${docs}schemas/impact.schema.json`, 'utf8')).toBe(impactJsonSchemaText());
});
