import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { doctor } from '../../../local/cli/doctor/doctor.ts';
import type { Finding } from '../../../local/cli/doctor/finding.ts';
import { admissionLimitObjects } from '../../../local/manifests/admission-limit.ts';
import { pauseFirstObjects } from '../../../local/manifests/pause-first.ts';
import { startStub } from '../../functions/adapters/stub-server.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

let demo: DemoCluster;

beforeAll(async () => {
  demo = await demoCluster();
});
afterAll(() => demo.close());

/** What the doctor says of clusters at these API servers, the last of which has level admission. */
async function look(...servers: readonly string[]): Promise<readonly Finding[]> {
  const file = join(demo.folder, 'poolkeeper.yaml');
  const clusters = servers.map((server, index) => {
    const pools = index === servers.length - 1 ? ', pools: { worker: { protection: admission } }' : '';
    return `  - { name: c${index}, api: { server: "${server}", tokenSecret: A_TOKEN }${pools} }\n`;
  });
  await writeFile(file, `clusters:\n${clusters.join('')}`);
  const { text } = await demo.run(doctor, '--config', file, '--context', 'simulated', '--output', 'json');
  return JSON.parse(text);
}

const other = 'https://api.other.example.com:6443';

test('[C-13] the doctor says that the admission policy of a cluster that --context is not about was not looked at', async () => {
  const findings = await look(`${demo.world.openshift.url}/`, other);

  expect(findings).toContainEqual(
    expect.objectContaining({ about: 'c1', state: 'unchecked', what: 'admission: the policy' }),
  );
  expect(findings.filter(({ state }) => state === 'warning')).toEqual([]);
});

test('[S0-25] [C-13] the doctor says of which clusters nobody looked for hooks that pause pools', async () => {
  const hooks = (findings: readonly Finding[]) =>
    findings.filter(({ what }) => what === 'hooks that pause pools').map(({ about, state }) => ({ about, state }));
  const withContext = await look(`${demo.world.openshift.url}/`, other);
  const { text } = await demo.run(doctor, '--config', join(demo.folder, 'poolkeeper.yaml'), '--output', 'json');

  expect(hooks(withContext)).toEqual([{ about: 'c1', state: 'unchecked' }]);
  expect(hooks(JSON.parse(text))).toEqual([
    { about: 'c0', state: 'unchecked' },
    { about: 'c1', state: 'unchecked' },
  ]);
});

test('[C-13] the doctor says that --context is about no cluster of the configuration', async () => {
  const findings = await look(other);

  expect(findings).toContainEqual(
    expect.objectContaining({
      state: 'warning',
      what: expect.stringContaining('which is the API server of no cluster in the configuration'),
    }),
  );
  expect(findings).toContainEqual(expect.objectContaining({ about: 'c0', what: 'admission: the policy' }));
});

test('[C-13] [N-29] the doctor says that something is wrong where the account may not read what Poolkeeper reads', async () => {
  const file = join(demo.folder, 'refused.yaml');
  await writeFile(
    file,
    `clusters:\n  - { name: c0, api: { server: "${demo.world.openshift.url}/", tokenSecret: A_TOKEN } }\n`,
  );
  const out: string[] = [];
  const surroundings = { ...demo.surroundings, environment: { A_TOKEN: 'of-an-account-without-rights' } };

  const status = await doctor.run(['--config', file, '--output', 'json'], {
    ...surroundings,
    out: (text) => out.push(text),
  });

  const findings: readonly Finding[] = JSON.parse(out.join(''));
  for (const what of ['pools', 'rights'])
    expect(findings).toContainEqual({
      about: 'c0',
      state: 'wrong',
      what: expect.stringMatching(`^${what}: .*machineconfigpools`),
      remedy: `poolkeeper connect --name c0 --config ${file} (--namespace and --token-dir as before)`,
    });
  expect(status).toBe(1);
});

test('[C-13] [N-29] the doctor checks the guards of an Argo CD whose pools are on another cluster of the fleet', async () => {
  const file = join(demo.folder, 'fleet.yaml');
  const [, token = ''] = /"?token"?: *"?([^"\s,}]+)/.exec(await readFile(demo.kubeconfig, 'utf8')) ?? [];
  await writeFile(
    file,
    `clusters:
  - { name: hub, api: { server: "${demo.world.openshift.url}/", tokenSecret: A_TOKEN } }
  - { name: edge, api: { server: "${other}", tokenSecret: NO_TOKEN }, pools: { worker: { protection: guard } } }
argocd:
  - { name: hub, cluster: hub, destinations: [{ server: "${other}", cluster: edge }] }
alerts: { targets: [] }
`,
  );
  const out: string[] = [];

  await doctor.run(['--config', file, '--output', 'json'], {
    ...demo.surroundings,
    environment: { A_TOKEN: token },
    out: (text) => out.push(text),
  });

  const findings: readonly Finding[] = JSON.parse(out.join(''));
  expect(findings).toContainEqual({ about: 'hub', state: 'ok', what: 'guards: no Application is guarded yet' });
});

/** Two installations on one cluster, which knows the token of neither: that of ours in `pk-prod`, and one in
 *  `poolkeeper` of an earlier version, which is all that has policies. */
async function askOfTwo(token: string): Promise<readonly Finding[]> {
  const account = { namespace: 'poolkeeper', name: 'poolkeeper' };
  const objects = [
    ...admissionLimitObjects({ account, pools: [] }),
    ...pauseFirstObjects({ namespace: 'poolkeeper', pools: ['gpu'], except: [] }),
  ].map(({ metadata, ...each }) => ({ ...each, metadata: { ...metadata, annotations: {} } }));
  const path = '/apis/admissionregistration.k8s.io/v1';
  const ofKind = (kind: string) => ({ items: objects.filter((each) => each.kind === kind) });
  const lists: Readonly<Record<string, object>> = {
    [path]: { resources: [{ name: 'validatingadmissionpolicies' }] },
    [`${path}/validatingadmissionpolicies`]: ofKind('ValidatingAdmissionPolicy'),
    [`${path}/validatingadmissionpolicybindings`]: ofKind('ValidatingAdmissionPolicyBinding'),
  };
  const server = await startStub(({ path: asked, headers }) =>
    headers.authorization === 'Bearer of-admin'
      ? { body: { metadata: {}, items: [], ...lists[asked] } }
      : { status: 401, body: { kind: 'Status', message: 'Unauthorized' } },
  );
  const [kubeconfig, config] = [join(demo.folder, 'two.kubeconfig'), join(demo.folder, 'two.yaml')];
  const context = { name: 'lab', context: { cluster: 'lab', user: 'admin' } };
  const cluster = { server: server.url, 'insecure-skip-tls-verify': true };
  const users = [{ name: 'admin', user: { token: 'of-admin' } }];
  const clusters = [{ name: 'lab', cluster }];
  await writeFile(
    kubeconfig,
    JSON.stringify({ apiVersion: 'v1', kind: 'Config', contexts: [context], clusters, users }),
  );
  const entry = `{ name: prod-eu, api: { server: "${server.url}", tokenSecret: POOLKEEPER_TOKEN_PROD_EU } }`;
  await writeFile(config, `clusters: [${entry}]\n`);
  const out: string[] = [];
  await doctor.run(['--config', config, '--context', 'lab', '--kubeconfig', kubeconfig, '--output', 'json'], {
    ...demo.surroundings,
    environment: { POOLKEEPER_TOKEN_PROD_EU: token },
    out: (text) => out.push(text),
  });
  return JSON.parse(out.join(''));
}

test('[C-13] [C-11] the doctor judges the account of its token alone, and mends that one', async () => {
  const claims = { sub: 'system:serviceaccount:pk-prod:poolkeeper', iat: 1, exp: 4_000_000_000 };
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  const again = `poolkeeper connect --name prod-eu --namespace pk-prod --config ${join(demo.folder, 'two.yaml')} (--token-dir as before)`;

  const findings = await askOfTwo(token);

  expect(findings.filter(({ state }) => state === 'wrong')).toEqual([
    expect.objectContaining({ remedy: `the token is refused; issue a new one: ${again}` }),
    { about: 'prod-eu', state: 'wrong', what: 'limits: only RBAC limits the account, no policy does', remedy: again },
  ]);
  expect(findings).toContainEqual({
    about: 'prod-eu',
    state: 'ok',
    what: expect.stringMatching(/poolkeeper-pause-first are another installation's, whose account is in poolkeeper$/),
  });
});

test('[C-13] the doctor judges no policy where nothing tells of which account the token is', async () => {
  const findings = await askOfTwo('sha256~opaque');

  expect(findings.filter(({ what }) => /^(?:limits|admission|policies)/.test(what))).toEqual([
    { about: 'prod-eu', state: 'unchecked', what: expect.stringContaining('whose policies these are is not known') },
  ]);
});
