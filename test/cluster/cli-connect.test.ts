import { writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { claimsOf } from '../../functions/adapters/kubernetes/service-account-token.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import { requiredForUpgradeLabel } from '../../functions/core/openshift/pool.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { readConfiguration } from '../../functions/shell/configuration/read-configuration.ts';
import { clusters } from '../../functions/shell/services/clusters.ts';
import type { Command } from '../../local/cli/command.ts';
import { connect } from '../../local/cli/connection/connect.ts';
import { disconnect } from '../../local/cli/connection/disconnect.ts';
import { objectPath } from '../../local/cli/connection/object-path.ts';
import { freeze } from '../../local/cli/freeze.ts';
import { hold } from '../../local/cli/hold.ts';
import { resume } from '../../local/cli/resume.ts';
import { thaw } from '../../local/cli/thaw.ts';
import { accessObjects } from '../../local/manifests/access.ts';
import { admissionLimitObjects } from '../../local/manifests/admission-limit.ts';
import { inClusterObjects } from '../../local/manifests/in-cluster.ts';
import { pauseFirstObjects } from '../../local/manifests/pause-first.ts';
import { fakeLogger } from '../fakes/index.ts';
import { useLab } from './harness/lab.ts';
import { leaveNoInstallation } from './harness/no-installation.ts';
import { machineConfig, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { refusalOf } from './harness/refusal-of.ts';
import { until } from './harness/until.ts';
import { readPool } from './product.ts';

const lab = useLab();
const { kube, controlPlane } = lab;

/** A namespace and a pool of its own for each test, so that none sees what another has made. */
let number = 0;
let home = '';
let ours = '';
let folder = '';
let file = '';

beforeAll(() => leaveNoInstallation(kube));

/** What somebody saves meanwhile, that no entry can be written into or taken from. */
function spoilAt(words: string): void {
  listens = (text) => {
    if (text.includes(words)) writeFileSync(file, 'clusters: all\n');
  };
}

beforeEach(async () => {
  number += 1;
  listens = () => undefined;
  home = `poolkeeper-connect-${number}`;
  ours = `connected-${number}`;
  await lab.create(pool({ name: ours, roles: [ours] }));
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-connect-'));
  file = join(folder, 'poolkeeper.yaml');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

/** Hears what commands say, as they say it. */
let listens: (text: string) => void = () => undefined;

async function run(command: Command, ...args: readonly string[]) {
  let text = '';
  const out = (more: string) => {
    text += more;
    listens(more);
  };
  const status = await command.run([...args, '--kubeconfig', controlPlane.kubeconfig], {
    out,
    note: out,
    environment: {},
    now: () => new Date(),
  });
  return { status, text };
}

const common = () => ['--name', 'lab', '--namespace', home, '--token-dir', folder, '--config', file];
/** Its account ends with its test: another's disconnect would tell of it. */
function connectLab(...more: readonly string[]) {
  const account = `/api/v1/namespaces/${home}/serviceaccounts/poolkeeper`;
  onTestFinished(async () => {
    if ((await kube.find(account)) !== undefined) await kube.delete(account);
  });
  return run(connect, ...common(), '--pools', ours, ...more);
}
/** Another installation, with a pool of its own. */
async function connectProd(): Promise<void> {
  const theirs = `theirs-${number}`;
  await lab.create(pool({ name: theirs, roles: [theirs] }));
  const ofProd = ['--name', 'prod', '--namespace', `${home}-prod`, '--token-dir', join(folder, 'prod')];
  await run(connect, ...ofProd, '--pools', theirs);
  onTestFinished(() => run(disconnect, ...ofProd).then(() => undefined));
}
const disconnectLab = (...more: readonly string[]) => run(disconnect, ...common(), ...more);

/** Everything of ours in the cluster, by name. */
async function installed(): Promise<readonly string[]> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const admission = '/apis/admissionregistration.k8s.io/v1';
  const collections = [
    ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map((kind) => `${rbac}/${kind}`),
    ...['validatingadmissionpolicies', 'validatingadmissionpolicybindings'].map((kind) => `${admission}/${kind}`),
    '/api/v1/serviceaccounts',
  ];
  const lists = await Promise.all(collections.map((path) => kube.list(path)));
  const isOurs = ({ metadata }: { metadata: { name: string; namespace?: string } }) =>
    metadata.name.startsWith(home) || metadata.namespace === home;
  return lists
    .flat()
    .filter(isOurs)
    .map(({ metadata }) => metadata.name);
}

/** The API server's words to a token of ours that asks for another one. */
async function askFor(seconds: number, token: string): Promise<string | undefined> {
  const kubeOfToken = controlPlane.kubeAs(token);
  onTestFinished(() => kubeOfToken.close());
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: seconds, audiences: ['https://kubernetes.default.svc'] },
  };
  return refusalOf(() => kubeOfToken.post(`${paths.in(home).serviceAccounts}/poolkeeper/token`, request));
}

describe('poolkeeper connect', () => {
  test('[C-13] makes the account, keeps a token that ends, and writes an entry that reads the cluster', async () => {
    const { status, text } = await connectLab('--token-hours', '2');

    const token = await readFile(join(folder, 'lab.token'), 'utf8');
    const claims = claimsOf(token);
    const lifeHours = ((claims?.expiresAt?.getTime() ?? 0) - (claims?.issuedAt?.getTime() ?? 0)) / 3_600_000;
    const [cluster] = parse(await readFile(file, 'utf8')).clusters;
    expect(status).toBe(0);
    expect(claims).toMatchObject({ namespace: home, name: 'poolkeeper' });
    expect(lifeHours).toBeCloseTo(2, 1);
    expect((await stat(join(folder, 'lab.token'))).mode & 0o777).toBe(0o600);
    expect(text).not.toContain(token);
    expect(cluster).toMatchObject({
      name: 'lab',
      api: { server: controlPlane.server, tokenSecret: 'POOLKEEPER_TOKEN_LAB' },
    });
    expect((await controlPlane.kubeAs(token).list(paths.pools)).length).toBeGreaterThan(0);
    await expect(controlPlane.kubeAs(token).list(paths.in(home).secrets)).rejects.toThrow('403');
  });

  test('[C-13] the service renews its token at half life with its own right, and keeps the new one', async () => {
    await connectLab('--token-hours', '1');
    const values = [await readFile(join(folder, 'lab.token'), 'utf8')];
    const logger = fakeLogger();
    const { cluster } = clusters({
      configuration: readConfiguration(await readFile(file, 'utf8'), { source: file }),
      secrets: { read: async () => values.slice(0, 2) },
      writer: {
        write: async (_name, value) => {
          values.unshift(value);
        },
      },
      runtime: { ...systemRuntime, clock: () => new Date(Date.now() + 31 * 60_000) },
      logger,
    });
    const connection = await cluster('lab');
    await connection.pools.listPools();

    await cluster('lab');

    expect(values).toHaveLength(2);
    expect(claimsOf(values[0] ?? '')).toMatchObject({ namespace: home, name: 'poolkeeper' });
    expect((await controlPlane.kubeAs(values[0] ?? '').list(paths.pools)).length).toBeGreaterThan(0);
    expect(logger.lines.map(({ message }) => message)).toEqual(['cluster token renewed']);
    // The API server takes a changed policy up within a second or two.
    const refused = await until(() => askFor(3_601, values[0] ?? ''), 60_000, 'the policy on tokens to be in force');
    // By this the service knows that a shorter one may be admitted.
    expect(refused).toContain('422');
    expect(refused).toContain('a token of Poolkeeper lives at most 1 h');
    expect(await askFor(3_600, values[0] ?? '')).toBeUndefined();
  });

  test('[C-11] [C-13] a stolen token, and what was minted with it, ends with its account, whatever follows', async () => {
    await connectLab();
    const stolen = await readFile(join(folder, 'lab.token'), 'utf8');
    const thief = controlPlane.kubeAs(stolen);
    onTestFinished(() => thief.close());
    const account = `${paths.in(home).serviceAccounts}/poolkeeper`;
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 3_600 },
    };
    const minted = (await thief.post(`${account}/token`, request)).status.token;
    const accomplice = controlPlane.kubeAs(minted);
    onTestFinished(() => accomplice.close());

    await kube.delete(account);
    await connectLab();

    for (const each of [thief, accomplice])
      await until(
        async () => (await refusalOf(() => each.list(paths.pools)))?.includes('401'),
        60_000,
        'the API server to have forgotten the token',
      );
    const fresh = controlPlane.kubeAs(await readFile(join(folder, 'lab.token'), 'utf8'));
    onTestFinished(() => fresh.close());
    expect((await fresh.list(paths.pools)).length).toBeGreaterThan(0);
  });

  test('asked again it changes nothing but the token', async () => {
    await connectLab();
    const [firstFile, firstToken] = await Promise.all(
      [file, join(folder, 'lab.token')].map((each) => readFile(each, 'utf8')),
    );

    const { text } = await connectLab();

    expect(text).not.toMatch(/^ {2}(create|change) /m);
    expect(text).toMatch(/^ {2}keep /m);
    expect(await readFile(file, 'utf8')).toBe(firstFile);
    expect(await readFile(join(folder, 'lab.token'), 'utf8')).not.toBe(firstToken);
  });

  test('[C-13] asked again it keeps the right on Applications that level guard was given, where a policy limits it', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const role = `${rbac}/namespaces/${lab.argocd.namespace}/roles/${home}-poolkeeper-applications`;
    const verbs = ['get', 'list', 'patch'];
    const grant = () =>
      kube.patch(role, { rules: [{ apiGroups: ['argoproj.io'], resources: ['applications'], verbs }] });
    const granted = async () => JSON.stringify(await kube.get(role));
    await connectLab();

    await grant();
    await connectLab();
    const unlimited = await granted();
    await grant();
    const account = { namespace: home, name: 'poolkeeper' };
    for (const object of admissionLimitObjects({ account, pools: [ours], guardsSyncs: true }))
      if (object.metadata.name.endsWith('may-only-start'))
        await kube.post(objectPath(object).replace(/\/[^/]*$/, ''), object);
    await connectLab();

    expect(unlimited).not.toContain('"patch"');
    expect(await granted()).toContain('"applicationsets"');
    expect(await granted()).toContain('"patch"');
    await disconnectLab();
  });

  test('[C-13] [N-6] [N-29] a second installation by the namespace of another one begins nothing, nor does its disconnect', async () => {
    const of = (stage: string, ...more: readonly string[]) => [
      ...['--name', 'lab', '--namespace', home, '--token-dir', join(folder, stage)],
      ...more,
    ];
    await connectLab('--token-dir', join(folder, 'prod'));
    const token = await readFile(join(folder, 'prod', 'lab.token'), 'utf8');
    await run(hold, '--pool', ours, '--for', '1h', '--reason', 'through prod');

    const said = `${home}/poolkeeper is connected for another installation, "token folder prod", and this is "token folder dev"`;
    await expect(run(connect, ...of('dev', '--pools', ours))).rejects.toThrow(said);
    await expect(run(disconnect, ...of('dev'))).rejects.toThrow(said);
    expect((await readPool(lab, ours)).paused).toBe(true);
    expect((await controlPlane.kubeAs(token).list(paths.pools)).length).toBeGreaterThan(0);
    const { text } = await run(connect, ...of('prod', '--pools', ours));
    expect(text).toContain(`keep    ServiceAccount ${home}/poolkeeper\n`);
    expect((await run(disconnect, ...of('prod'))).status).toBe(0);
    expect((await readPool(lab, ours)).paused).toBe(false);
  });

  test('[C-13] [N-29] an account that does not say for whom it is, as a printed one, is taken, told and noted', async () => {
    await connectLab();
    const path = `${paths.in(home).serviceAccounts}/poolkeeper`;
    const note = 'poolkeeper.dev/connected-for';
    await kube.patch(path, { metadata: { annotations: { [note]: null } } });

    const { text } = await connectLab();

    expect(text).toContain(
      `The account in namespace ${home} is there already, and does not say for which installation`,
    );
    expect((await kube.get(path)).metadata.annotations?.[note]).toBe(`token folder ${basename(folder)}`);
    expect((await connectLab('--dry-run')).text).not.toContain('does not say for which installation');
  });

  test('a dry run says what it would make and makes nothing', async () => {
    const { text } = await connectLab('--dry-run');

    expect(text).toContain(`create  Namespace ${home}`);
    expect(text).toContain(`create  ValidatingAdmissionPolicy ${home}-may-only-pause`);
    expect(text).toContain('nothing was changed');
    expect(await installed()).toEqual([]);
  });

  test('prints manifests for people who apply by GitOps, and makes nothing', async () => {
    const { text } = await connectLab('--output', 'yaml');

    const kinds = parseAllDocuments(text).map((document) => document.toJS().kind);
    expect(kinds).toEqual(expect.arrayContaining(['Namespace', 'ClusterRole', 'ValidatingAdmissionPolicy']));
    expect(await installed()).toEqual([]);
  });

  test('names the pools there are when a name is wrong', async () => {
    const wrong = run(connect, ...common(), '--pools', 'wroker');

    await expect(wrong).rejects.toThrow(Misconfigured);
    await expect(wrong).rejects.toThrow(ours);
  });
});

describe('poolkeeper hold, resume and disconnect', () => {
  test('[S0-21] a person holds a pool and resumes it, and both stand on it as events with their reason', async () => {
    const { text } = await run(hold, '--pool', ours, '--for', '1h', '--reason', 'database migration');
    const held = await readPool(lab, ours);
    await run(resume, '--pool', ours, '--reason', 'migration is done');

    const events = (await kube.list(paths.in('default').events)) as unknown as readonly {
      readonly involvedObject: { readonly name: string };
      readonly message: string;
    }[];
    expect(text).toContain(`No account of Poolkeeper in lab may change ${ours}.`);
    expect(held).toMatchObject({ paused: true, record: { pause: 'ours', holds: [{ id: 'manual/admin' }] } });
    expect((await readPool(lab, ours)).paused).toBe(false);
    const said = events.filter(({ involvedObject }) => involvedObject.name === ours).map(({ message }) => message);
    expect(said.toSorted()).toEqual([
      expect.stringContaining('admin: database migration (until '),
      'admin: migration is done (the pool is resumed)',
    ]);
  });

  test('[C-13] disconnect takes everything away, our hold and our pause included, and leaves a pause of others', async () => {
    const foreign = `foreign-${number}`;
    await lab.create(pool({ name: foreign, roles: [foreign], paused: true }));
    await connectLab();
    for (const object of pauseFirstObjects({ namespace: home, pools: [ours, foreign], except: [] }))
      await kube.post(objectPath(object).replace(/\/[^/]*$/, ''), object);
    for (const name of [ours, foreign]) await run(hold, '--pool', name, '--for', '1h', '--reason', 'a while');

    const { text } = await disconnectLab();

    expect(text).toContain('Nothing of Poolkeeper is left');
    expect(await readPool(lab, ours)).toMatchObject({ paused: false, record: undefined });
    expect(await readPool(lab, foreign)).toMatchObject({ paused: true, record: undefined });
    expect(await installed()).toEqual([]);
    await expect(readFile(join(folder, 'lab.token'), 'utf8')).rejects.toThrow('ENOENT');
  });

  test('[C-13] [N-29] disconnect with another namespace than the account has writes nothing, and says which it is', async () => {
    await connectLab();
    await run(hold, '--pool', ours, '--for', '1h', '--reason', 'a while');
    const token = join(folder, 'lab.token');

    const asked = run(disconnect, '--name', 'lab', '--token-dir', folder, '--config', file);

    await expect(asked).rejects.toThrow(/Poolkeeper's account is in namespace .*poolkeeper-connect-/);
    expect(await readPool(lab, ours)).toMatchObject({ paused: true });
    expect(await readFile(token, 'utf8')).not.toBe('');
    await disconnectLab();
  });

  test("[N-6] [N-21] [C-13] disconnect of one of two installations leaves what is the other's, and says so, also as a dry run", async () => {
    const [prod, theirs, both] = [`${home}-prod`, `theirs-${number}`, `both-${number}`];
    for (const name of [theirs, both]) await lab.create(pool({ name, roles: [name] }));
    const ofProd = ['--name', 'prod', '--namespace', prod, '--token-dir', join(folder, 'prod')];
    await run(connect, ...ofProd, '--pools', `${theirs},${both}`);
    onTestFinished(() => run(disconnect, ...ofProd).then(() => undefined));
    await connectLab('--pools', `${ours},${both}`);
    for (const name of [ours, theirs, both])
      await run(freeze, '--pool', name, '--for', '4h', '--reason', 'end of the year');
    const labels = { 'app.kubernetes.io/managed-by': 'poolkeeper', 'poolkeeper.dev/run': 'databases' };
    const record = `/api/v1/namespaces/${prod}/configmaps/poolkeeper-run-databases`;
    const metadata = { name: 'poolkeeper-run-databases', namespace: prod, labels };
    await lab.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });

    const dry = await disconnectLab('--dry-run');
    const { status, text } = await disconnectLab();

    for (const said of [dry.text, text]) {
      expect(said).toContain(`pool ${theirs}: stays as it is, with the Poolkeeper in namespace ${prod}`);
      expect(said).toMatch(new RegExp(`pool ${both}: stays as it is, because .* has the right to it, too`));
      expect(said).toContain(`ConfigMap ${prod}/poolkeeper-run-databases: stays as it is`);
      expect(said).not.toContain('Nothing of Poolkeeper is left');
    }
    expect([dry.status, status]).toEqual([1, 1]);
    expect(dry.text).toContain(`resume  pool ${ours}`);
    expect(dry.text).not.toContain(`resume  pool ${theirs}`);
    expect(await readPool(lab, ours)).toMatchObject({ paused: false, record: undefined });
    for (const name of [theirs, both])
      expect(await readPool(lab, name)).toMatchObject({ paused: true, record: { holds: [{ kind: 'freeze' }] } });
    expect(await kube.find(record)).toBeDefined();
    for (const name of [theirs, both]) await run(thaw, '--pool', name, '--reason', 'done');
  });

  test('[N-6] [C-13] [N-29] a pool that is refused to one of two installations is still known as its own when it is disconnected again', async () => {
    await connectProd();
    await connectLab();
    await run(hold, '--pool', ours, '--for', '1h', '--reason', 'a while');
    const name = `change-freeze-${number}`;
    const admission = 'admissionregistration.k8s.io/v1';
    const rule = { apiGroups: ['machineconfiguration.openshift.io'], apiVersions: ['v1'], operations: ['UPDATE'] };
    const expression = `object.metadata.name != '${ours}' || object.spec.?paused.orValue(false)`;
    await lab.create({
      ...{ apiVersion: admission, kind: 'ValidatingAdmissionPolicy', metadata: { name } },
      spec: {
        matchConstraints: { resourceRules: [{ ...rule, resources: ['machineconfigpools'] }] },
        validations: [{ expression, message: 'change freeze of the bank' }],
      },
    });
    await lab.create({
      ...{ apiVersion: admission, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name } },
      spec: { policyName: name, validationActions: ['Deny'] },
    });
    const resumes = () => kube.patch(`${paths.pools}/${ours}?dryRun=All`, { spec: { paused: false } });
    await until(async () => (await refusalOf(resumes)) !== undefined, 60_000, 'the policy to be in force');

    const refused = await disconnectLab();
    await kube.delete(`/apis/${admission}/validatingadmissionpolicybindings/${name}`);
    await until(async () => (await refusalOf(resumes)) === undefined, 60_000, 'the policy to be gone');
    const again = await disconnectLab();

    expect(refused.text).toMatch(new RegExp(`pool ${ours} stays paused: .*change freeze of the bank`));
    expect(refused.text).toContain(`roles, account and namespace of the Poolkeeper in ${home} stay, too`);
    expect([refused.status, again.status]).toEqual([1, 0]);
    expect(again.text).toContain(`pool ${ours} is resumed`);
  });

  test('[N-6] [C-13] [N-29] where the right to pause cannot be taken away nothing is let go, also when it is repeated', async () => {
    await connectLab();
    await run(hold, '--pool', ours, '--for', '1h', '--reason', 'a while');
    const binding = `${home}-poolkeeper-pause`;
    const path = `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${binding}`;
    const name = `protected-${number}`;
    const admission = 'admissionregistration.k8s.io/v1';
    const rule = { apiGroups: ['rbac.authorization.k8s.io'], apiVersions: ['v1'], operations: ['DELETE'] };
    await lab.create({
      ...{ apiVersion: admission, kind: 'ValidatingAdmissionPolicy', metadata: { name } },
      spec: {
        matchConstraints: { resourceRules: [{ ...rule, resources: ['clusterrolebindings'] }] },
        validations: [{ expression: `request.name != '${binding}'`, message: 'change freeze of the bank' }],
      },
    });
    await lab.create({
      ...{ apiVersion: admission, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name } },
      spec: { policyName: name, validationActions: ['Deny'] },
    });
    const removes = () => refusalOf(() => kube.delete(`${path}?dryRun=All`));
    await until(async () => (await removes()) !== undefined, 60_000, 'the policy to be in force');
    // One that was deleted and that others keep is in force as before.
    const finalizers = (kept: readonly string[] | null) => kube.patch(path, { metadata: { finalizers: kept } });
    const before = await installed();
    const [first] = pauseFirstObjects({ namespace: home, pools: [ours], except: [] });
    if (first === undefined) throw new Error('there is no policy');

    const alone = disconnectLab();
    await expect(alone).rejects.toThrow('change freeze of the bank');
    await lab.create(first);
    const begun = await disconnectLab();
    const still = await installed();
    const held = await readPool(lab, ours);
    await kube.delete(`/apis/${admission}/validatingadmissionpolicybindings/${name}`);
    await until(async () => (await removes()) === undefined, 60_000, 'the policy to be gone');
    await finalizers(['example.com/audit']);
    const kept = await disconnectLab();
    const heldStill = await readPool(lab, ours);
    await finalizers(null);
    const again = await disconnectLab();

    expect(kept.text).toContain(
      `ClusterRoleBinding ${binding} is deleted, and kept as it was by finalizer example.com/audit`,
    );
    expect([kept.status, heldStill]).toMatchObject([1, { paused: true }]);
    expect(begun.text).toMatch(new RegExp(`ClusterRoleBinding ${binding} stays: .*change freeze of the bank`));
    expect(begun.text).toContain('the rest stays, too, and no pool is resumed');
    expect(begun.text).not.toContain('is there again');
    expect([begun.status, again.status]).toEqual([1, 0]);
    expect(still).toEqual(before);
    expect(held).toMatchObject({ paused: true });
    expect(again.text).toContain(`pool ${ours} is resumed`);
  });

  test('[N-6] [C-13] [N-29] one of two installations is disconnected again where its entry was refused', async () => {
    await connectProd();
    await connectLab();
    const other = '  - { name: other, api: { server: "https://other.example.com:6443", tokenSecret: OTHER } }\n';
    const entries = (await readFile(file, 'utf8')).replace('clusters:\n', `clusters:\n${other}`);
    await writeFile(file, entries);
    await run(hold, '--pool', ours, '--for', '1h', '--reason', 'a while');
    spoilAt('is resumed');

    const refused = await disconnectLab();
    await writeFile(file, entries);
    listens = () => undefined;
    const again = await disconnectLab();

    expect(refused.text).toContain(`roles, account and namespace of the Poolkeeper in ${home} stay, too`);
    expect([refused.status, again.status]).toEqual([1, 0]);
    expect(await installed()).toEqual(expect.not.arrayContaining([expect.stringMatching(`^${home}-poolkeeper`)]));
  });

  test('[N-6] [C-13] disconnect takes rights away in namespaces that have no Applications any more', async () => {
    const gitops = `gitops-${number}`;
    await connectLab();
    await controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: gitops } });
    const account = { namespace: home, name: 'poolkeeper' };
    const given = { account, pauses: true, pools: [ours], argocdNamespaces: [gitops], guardsIn: gitops };
    const there = accessObjects(given).filter(({ metadata }) => metadata.namespace === gitops);
    for (const object of there) await lab.create(object);

    const dry = await disconnectLab('--dry-run');
    const { status, text } = await disconnectLab();

    for (const { kind, metadata } of there) {
      expect(dry.text).toContain(`delete  ${kind} ${gitops}/${metadata.name}\n`);
      expect(text).toContain(`deleted ${kind} ${gitops}/${metadata.name}\n`);
    }
    expect([status, await installed()]).toEqual([0, []]);
  });

  test('[N-6] [N-21] [C-13] [N-29] one of two installations is disconnected although its account is gone, and the other stays', async () => {
    const [prod, theirs] = [`${home}-prod`, `theirs-${number}`];
    await lab.create(pool({ name: theirs, roles: [theirs] }));
    const ofProd = ['--name', 'prod', '--namespace', prod, '--token-dir', join(folder, 'prod')];
    await run(connect, ...ofProd, '--pools', theirs);
    onTestFinished(() => run(disconnect, ...ofProd).then(() => undefined));
    const unlabelled = { metadata: { labels: { 'app.kubernetes.io/part-of': 'platform' } } };
    await kube.patch(`/api/v1/namespaces/${prod}/serviceaccounts/poolkeeper`, unlabelled);
    await connectLab();
    for (const name of [ours, theirs]) await run(freeze, '--pool', name, '--for', '4h', '--reason', 'a while');
    await kube.delete(`/api/v1/namespaces/${home}/serviceaccounts/poolkeeper`);

    const { status } = await disconnectLab();
    const again = disconnectLab();

    expect(status).toBe(0);
    await expect(again).rejects.toThrow(/it is gone already.* another --namespace removes another installation/);
    expect(await readPool(lab, ours)).toMatchObject({ paused: false, record: undefined });
    expect(await readPool(lab, theirs)).toMatchObject({ paused: true, record: { holds: [{ kind: 'freeze' }] } });
    await run(thaw, '--pool', theirs, '--reason', 'done');
  });

  test('[N-6] [C-13] [N-29] a policy of level admission that is put back keeps the account that pauses for it', async () => {
    await connectLab();
    const [policy] = pauseFirstObjects({ namespace: home, pools: [ours], except: [] });
    if (policy === undefined) throw new Error('there is no policy');
    const path = objectPath(policy);
    await lab.create(policy);
    let isDeploying = true;
    const deploys = (async () => {
      while (isDeploying) {
        if ((await kube.find(path)) === undefined) await lab.create(policy).catch(() => undefined);
        await setTimeout(1);
      }
    })();
    await run(hold, '--pool', ours, '--for', '1h', '--reason', 'a while');

    const { status, text } = await disconnectLab();
    isDeploying = false;
    await deploys;

    expect(status).toBe(1);
    expect(text).toContain(`ValidatingAdmissionPolicy ${policy.metadata.name} is there again`);
    expect(text).toContain('the rest stays, too');
    expect(await readPool(lab, ours)).toMatchObject({ paused: true });
    expect(await installed()).toContain(`${home}-poolkeeper-pause`);
    await kube.delete(path);
    await disconnectLab();
  });

  test('[N-6] [C-13] [N-27] a policy of level admission that a finalizer of others keeps refuses as before, and keeps the account that pauses for it', async () => {
    await connectLab();
    const objects = pauseFirstObjects({ namespace: home, pools: [ours], except: [] });
    const [policy = ''] = objects.map(({ metadata }) => metadata.name);
    for (const object of objects)
      await lab.create({ ...object, metadata: { ...object.metadata, finalizers: ['example.com/audit'] } });
    const released = async () => {
      for (const path of objects.map(objectPath))
        if ((await kube.find(path)) !== undefined) await kube.patch(path, { metadata: { finalizers: null } });
    };
    onTestFinished(released);
    const change = machineConfig(`99-kept-${number}`, ours);
    const changes = async () => {
      const refused = await refusalOf(() => kube.post(paths.machineConfigs, change));
      if (refused === undefined) await kube.delete(`${paths.machineConfigs}/99-kept-${number}`);
      return refused;
    };
    await until(changes, 60_000, 'the policy to be in force');

    const { status, text } = await disconnectLab();
    const refused = await changes();
    const still = await installed();
    await released();
    const again = await disconnectLab();

    expect(status).toBe(1);
    for (const name of objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
      expect(text).toContain(`${name} is deleted, and kept as it was by finalizer example.com/audit: repeat when`);
    expect(text).not.toContain('Nothing of Poolkeeper is left');
    expect(refused).toContain(policy);
    expect(still).toContain(`${home}-poolkeeper-pause`);
    expect([again.status, await installed()]).toEqual([0, []]);
  });

  test('[N-6] [C-13] disconnect names what a Poolkeeper in the cluster has besides, where its namespace is kept', async () => {
    await controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home } });
    await connectLab('--existing-namespace');
    const printed = inClusterObjects({
      ...{ account: { namespace: home, name: 'poolkeeper' }, argocdNamespace: undefined, applicationNamespaces: [] },
      ...{ cluster: 'lab', instance: 'lab', pools: [], image: 'poolkeeper', host: undefined },
      store: { kind: 'volume' },
    }).filter(({ kind }) => ['Deployment', 'ConfigMap', 'Role'].includes(kind));
    for (const object of printed) await kube.post(objectPath(object).replace(/\/[^/]*$/, ''), object);

    // As the account of printed manifests is.
    const unnoted = { metadata: { annotations: { 'poolkeeper.dev/connected-for': null } } };
    await kube.patch(`${paths.in(home).serviceAccounts}/poolkeeper`, unnoted);
    const dry = await disconnectLab('--dry-run');
    const { text } = await disconnectLab();

    for (const said of [dry.text, text]) {
      expect(said).toContain(`kept namespace ${home}, which others have made`);
      expect(said).toMatch(new RegExp(`Deployment ${home}/poolkeeper.*: stay, .*oc delete -f what you have applied`));
    }
    expect(text).not.toContain('Nothing of Poolkeeper is left');
    for (const object of printed) await kube.delete(objectPath(object));
  });

  test("[C-13] [N-29] [N-30] connect takes no namespace of a tenant for Argo CD's own, and asks where it is not clear", async () => {
    const [team, gitops] = [`aa-team-${number}`, `zz-gitops-${number}`];
    for (const namespace of [team, gitops]) {
      await controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const argoproj = { apiVersion: 'argoproj.io/v1alpha1', metadata: { name: 'shop', namespace } };
      await lab.create({ ...argoproj, kind: 'AppProject', spec: {} });
      const source = { repoURL: 'https://example.com/x.git', path: '.' };
      const destination = { server: 'https://kubernetes.default.svc', namespace };
      await lab.create({ ...argoproj, kind: 'Application', spec: { project: 'shop', source, destination } });
    }

    const unclear = await connectLab().catch((cause: unknown) => cause);
    const left = await installed();
    await lab.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `argocd-application-controller-${number}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'argocd-application-controller', namespace: gitops }],
    });
    const { text } = await connectLab();

    expect(unclear).toBeInstanceOf(Misconfigured);
    expect(String(unclear)).toContain(`own is not clear: ${team} and ${gitops}? Say it by --argocd-namespace`);
    expect(left).toEqual([]);
    expect(text).toContain(`its own namespace is ${gitops}; Applications in ${team}, ${gitops}`);
    const [argocd] = parse(await readFile(file, 'utf8')).argocd;
    expect(argocd).toMatchObject({ namespaces: [team, gitops], controllerNamespace: gitops });
    await disconnectLab();
  });

  test('[C-13] [N-29] connecting again is refused where a pool that is held would lose the right to be resumed', async () => {
    const more = `more-${number}`;
    await lab.create(pool({ name: more, roles: [more] }));
    await connectLab('--pools', `${ours},${more}`);
    await run(hold, '--pool', ours, '--for', '1h', '--reason', 'a while');

    const asked = connectLab('--pools', more);

    await expect(asked).rejects.toThrow(`the account would lose the right to ${ours}, which Poolkeeper holds`);
    await expect(connectLab('--pools', more)).rejects.toThrow(Misconfigured);
    await expect(connectLab('--pools', more)).rejects.toThrow('with --pools, together with the other pools');
    await run(resume, '--pool', ours, '--reason', 'done');
    expect((await connectLab('--pools', more)).status).toBe(0);
    await disconnectLab();
  });

  test('[C-13] [N-29] connecting again is not refused for a held pool that the policy of the account refuses it anyway', async () => {
    const required = `required-${number}`;
    await lab.create(pool({ name: required, roles: [required], labels: { [requiredForUpgradeLabel]: '' } }));
    await connectLab();
    const account = { namespace: home, name: 'poolkeeper' };
    const printed = [
      ...accessObjects({ account, pauses: true, pools: [], argocdNamespaces: [] }),
      ...admissionLimitObjects({ account, pools: [] }),
    ];
    for (const object of printed.filter(({ metadata }) => metadata.name.endsWith('-pause')))
      await kube.patch(objectPath(object), object);
    await run(hold, '--pool', required, '--for', '1h', '--reason', 'a while', '--required');

    const { status } = await connectLab();

    expect(status).toBe(0);
    await disconnectLab();
    expect(await readPool(lab, required)).toMatchObject({ paused: false });
  });

  test('[C-13] [N-29] connect says that another account of Poolkeeper keeps its rights', async () => {
    const first = await connectLab();
    const dry = await run(connect, '--name', 'lab', '--namespace', `${home}-b`, '--token-dir', folder, '--dry-run');
    await disconnectLab();

    expect(dry.text).toContain(`Poolkeeper has another account, in namespace ${home}, which keeps its rights.`);
    expect(first.text).not.toContain('another account');
  });

  test('[C-13] [N-29] connecting again is refused where level admission would go on to refuse the changes of a pool', async () => {
    const more = `more-${number}`;
    await lab.create(pool({ name: more, roles: [more] }));
    await connectLab('--pools', `${ours},${more}`);
    const both = pauseFirstObjects({ namespace: home, pools: [ours, more], except: [] });
    for (const object of both) await kube.post(objectPath(object).replace(/\/[^/]*$/, ''), object);

    const narrower = await connectLab().catch((cause: unknown) => cause);
    const admission = '/apis/admissionregistration.k8s.io/v1';
    await kube.delete(`${admission}/validatingadmissionpolicybindings/${home}-pause-first-${more}`);
    const { status } = await connectLab();

    expect(narrower).toBeInstanceOf(Misconfigured);
    expect(String(narrower)).toContain(
      `the account would lose the right to ${more}, whose changes level admission refuses until somebody pauses it`,
    );
    expect(status).toBe(0);
    await disconnectLab();
  });

  test('[C-13] [N-29] [N-30] a namespace in which a tenant refuses what connect applies, or that is being deleted, is left out and named', async () => {
    const [team, ending] = [`team-${number}`, `ending-${number}`];
    const finalizers = ['resources-finalizer.argocd.argoproj.io'];
    for (const namespace of [lab.argocd.namespace, team, ending]) {
      await controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      await lab.create({
        ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' },
        metadata: { name: `shop-${number}`, namespace, ...(namespace === ending ? { finalizers } : {}) },
        spec: {
          project: 'nobodys',
          source: { repoURL: 'https://example.com/x.git', path: '.' },
          destination: { server: 'https://kubernetes.default.svc', namespace },
        },
      });
    }
    const rbac = 'rbac.authorization.k8s.io';
    await lab.create({
      ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding' },
      metadata: { name: `${home}-poolkeeper-applications`, namespace: team },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
    });
    await kube.delete(`/api/v1/namespaces/${ending}`);
    const stuck = `/apis/argoproj.io/v1alpha1/namespaces/${ending}/applications/shop-${number}`;
    onTestFinished(() => kube.patch(stuck, { metadata: { finalizers: null } }).then(() => undefined));

    const dry = await connectLab('--dry-run');
    const { status, text } = await connectLab();

    for (const said of [dry.text, text]) {
      expect(said).toMatch(new RegExp(`left out: namespace ${team}, whose Applications are not read: .*roleRef`));
      expect(said).toMatch(new RegExp(`left out: namespace ${ending}, .*being terminated`));
    }
    expect(status).toBe(0);
    const [argocd] = parse(await readFile(file, 'utf8')).argocd;
    expect(argocd).toMatchObject({
      namespaces: [lab.argocd.namespace, team],
      controllerNamespace: lab.argocd.namespace,
    });
    expect(
      await kube.find(`/apis/${rbac}/v1/namespaces/${team}/roles/${home}-poolkeeper-applications`),
    ).toBeUndefined();
    await disconnectLab();
  });

  test('[C-9] [C-13] what fails after connect has begun to write is no failure to begin', async () => {
    spoilAt('create  ServiceAccount');

    const asked = connectLab();

    await expect(asked).rejects.toThrow(
      /clusters: must be a list\nconnect has begun to write, and was broken off: repeat it/,
    );
    await expect(asked).rejects.toMatchObject({ kind: 'unknown' });
    await rm(file);
    listens = () => undefined;
    await run(disconnect, '--name', 'lab', '--namespace', home, '--token-dir', folder);
  });

  test('[N-6] [C-13] [N-29] disconnect names what is put back as soon as it is deleted, and does not say that nothing is left', async () => {
    await connectLab();
    const name = `${home}-poolkeeper-pause`;
    const path = `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${name}`;
    const { metadata, ...rest } = await kube.get(path);
    const copy = { ...rest, metadata: { name, labels: metadata.labels ?? {} } };
    let isDeploying = true;
    const deploys = (async () => {
      while (isDeploying) {
        if ((await kube.find(path)) === undefined) await lab.create(copy).catch(() => undefined);
        await setTimeout(5);
      }
    })();

    const { status, text } = await disconnectLab();
    isDeploying = false;
    await deploys;

    expect(status).toBe(1);
    expect(text).toContain(`ClusterRoleBinding ${name} is there again: take it out of what deploys it`);
    expect(text).not.toContain('Nothing of Poolkeeper is left');
  });

  test('[N-6] [C-13] disconnect keeps a namespace that was there before, with all that others have in it', async () => {
    const namespace = `/api/v1/namespaces/${home}`;
    await controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home } });
    const before = await kube.get(namespace);
    await connectLab('--existing-namespace');

    const dry = await disconnectLab('--dry-run');
    await disconnectLab();

    expect(dry.text).not.toContain(`delete  Namespace ${home}`);
    const after = await kube.get(namespace);
    expect(after.metadata).not.toHaveProperty('deletionTimestamp');
    expect(after.metadata.labels).toEqual(before.metadata.labels);
    expect(await installed()).toEqual([]);
  });

  test('[C-13] [N-6] [N-29] [N-30] connect puts the account into no namespace that others have made, unless somebody vouches for it', async () => {
    await controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home } });
    const mallory = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' };
    await lab.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'admin', namespace: home },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
      subjects: [mallory, { kind: 'ServiceAccount', name: 'builder', namespace: home }],
    });

    const refused = await connectLab().catch((cause: unknown) => cause);
    const dry = await connectLab('--dry-run').catch((cause: unknown) => cause);
    const left = await installed();
    const trusted = await connectLab('--existing-namespace');

    expect(refused).toBeInstanceOf(Misconfigured);
    expect(String(refused)).toContain(
      `namespace ${home} is there already, and not made by connect: whoever has rights in it, or had them and left a token or a workload there, can act as the account, past every hold and gate; now User mallory by RoleBinding admin. Choose another with --namespace`,
    );
    expect(dry).toEqual(refused);
    expect(left).toEqual(['admin']);
    expect(trusted.text).toContain(
      'may act as the account, if their role lets them: User mallory by RoleBinding admin',
    );
    expect(trusted.text).not.toContain('builder');
  });

  test('[N-6] [C-13] disconnect keeps a namespace with our labels in which others run pods', async () => {
    const namespace = `/api/v1/namespaces/${home}`;
    await connectLab();
    const shop = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'shop', namespace: home } };
    await lab.create({ ...shop, spec: { containers: [{ name: 'shop', image: 'shop' }] } });
    await kube.patch(`${namespace}/pods/shop/status`, { status: { phase: 'Running' } });

    const { text } = await disconnectLab();

    expect(text).toContain(`kept namespace ${home}, in which others run shop`);
    expect((await kube.get(namespace)).metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('[N-6] [C-13] [N-29] disconnect keeps a namespace with our labels in which others have anything, and deletes it without', async () => {
    await connectLab();
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shop', namespace: home } };
    await lab.create(secret);

    const { text } = await disconnectLab();
    await kube.delete(`${paths.in(home).secrets}/shop`);
    await connectLab();
    const again = await disconnectLab();

    expect(text).toContain(`kept namespace ${home}, in which others have Secret shop\n`);
    expect(text).not.toContain(`deleted Namespace ${home}`);
    expect(again.text).toContain(`deleted Namespace ${home}`);
  });
});
