import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runCommand } from '../../../../local/cli/run-command.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-config-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function check(yaml: string, ...args: readonly string[]) {
  const file = join(folder, 'poolkeeper.yaml');
  await writeFile(file, yaml);
  return run(['config', 'check', file, ...args]);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

async function run(args: readonly string[]) {
  const said: string[] = [];
  const noted: string[] = [];
  const status = await runCommand(args, {
    out: (text) => said.push(text),
    note: (text) => noted.push(text),
    environment: {},
    now: () => new Date('2026-03-02T10:00:00Z'),
  });
  return { status, said: said.join(''), noted: noted.join('\n') };
}

const yaml = `
clusters:
  - name: prod
    api: { server: https://api.prod.example.com:6443, tokenSecret: prod/token }
    pools:
      worker: { protection: guard, wave: 2, approve: { by: ["slack:U0000ALICE"], needed: 1 } }
    windows:
      - { kind: allow, schedule: "0 22 * * 2", duration: 8h, timeZone: Europe/Berlin }
argocd:
  - { name: hub, cluster: prod, namespaces: [openshift-gitops] }
alerts:
  targets:
    - { kind: slack, name: platform, channel: C0123456789, tokenSecret: slack/token }
`;

describe('[N-32] poolkeeper config check', () => {
  test('says what a configuration is understood as, and what holds where nothing is written', async () => {
    const { status, said } = await check(yaml);

    expect(status).toBe(0);
    expect(said.split('\n').slice(1)).toEqual([
      'Cluster prod',
      '  https://api.prod.example.com:6443, token from prod/token',
      '  pool worker: guard, wave 2, 1 approval of slack:U0000ALICE',
      '  every other pool: paused for pushes and syncs (react); master and what upgrades wait for: only watched',
      '  window allow 0 22 * * 2 for 8 h (Europe/Berlin)',
      'Argo CD hub',
      '  runs in cluster prod; Applications are read in openshift-gitops',
      '  destination https://kubernetes.default.svc is cluster prod',
      '  destination in-cluster is cluster prod',
      '  destination https://api.prod.example.com:6443 is cluster prod',
      '  destination prod is cluster prod',
      'Alerts to slack platform',
      'GitHub: webhooks only. Changed files are not read, so what an Application manages decides.',
      '',
    ]);
  });

  test('prints the whole configuration as data, with every default', async () => {
    const { said } = await check(yaml, '-o', 'json');

    expect(JSON.parse(said).clusters[0].policy.pausedAtMostSeconds).toBe(4 * 3600);
    expect((await check(yaml, '-o', 'yaml')).said).toContain('pausedAtMostSeconds: 14400');
  });

  test('names the problem with its place, and exits 2', async () => {
    const { status, said, noted } = await check(yaml.replace('protection: guard', 'protection: gaurd'));

    expect([status, said]).toEqual([2, '']);
    expect(noted).toMatch(/poolkeeper\.yaml:6:\d+ .*protection/);
  });

  test('[C-13] checks what is printed for a cluster of its own, without the file that only the pod has', async () => {
    const objects = parseAllDocuments(await readFile('docs/install/in-cluster.yaml', 'utf8'));
    const [printed] = objects.map((each) => each.getIn(['data', 'poolkeeper.yaml'])).filter(isString);

    const { status, said, noted } = await check((printed ?? '').replaceAll('CLUSTER', 'prod'));

    expect(noted).toMatch(
      /^note: .*poolkeeper\.yaml:\d+:\d+ clusters\[0\]\.api\.caFile: was not read \(ENOENT\); only the pod itself has it$/,
    );
    expect(status).toBe(0);
    expect(said).toContain('https://kubernetes.default.svc, token from service-account');
  });

  test.each([
    ['protection: guard', 'protection: gaurd', 'protection'],
    ['/var/run/secrets/kubernetes.io/ca.crt', '/var/run/secrets/kubernetes.io/../nowhere.pem', 'cannot be read'],
  ])('[C-13] the rest is refused as ever beside such a file: %s', async (right, wrong, problem) => {
    const ofPod = yaml.replace('api: {', 'api: { caFile: /var/run/secrets/kubernetes.io/ca.crt,');

    expect((await check(ofPod)).status).toBe(0);
    const { status, noted } = await check(ofPod.replace(right, wrong));

    expect(status).toBe(2);
    expect(noted).toContain(problem);
    expect(noted).not.toContain('was not read');
  });

  test('a file that is not there, a word too many and a missing subcommand exit 2', async () => {
    const answers = await Promise.all([
      run(['config', 'check', join(folder, 'nowhere.yaml')]),
      run(['config', 'check', 'a.yaml', 'b.yaml']),
      run(['config']),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([2, 2, 2]);
    expect(answers[0]?.noted).toContain('nowhere.yaml: cannot be read');
  });
});

describe('the list of commands', () => {
  test('help COMMAND is the help of the command, also of a subcommand', async () => {
    const [ofCommand, ofSubcommand] = [await run(['help', 'wait']), await run(['help', 'config', 'check'])];

    expect(ofCommand.said).toBe((await run(['wait', '--help'])).said);
    expect(ofSubcommand.said).toBe((await run(['config', 'check', '--help'])).said);
  });

  test('an unknown command names the one that was probably meant', async () => {
    const { status, noted } = await run(['statsu']);

    expect(status).toBe(2);
    expect(noted).toContain('unknown command statsu; did you mean status?');
  });
});
