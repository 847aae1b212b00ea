import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { manifests } from '../../../local/cli/manifests.ts';

const install = join(import.meta.dirname, '../../../docs/install');

/** What the command prints, and what it says besides. */
async function print(...args: readonly string[]) {
  let [text, notes] = ['', ''];
  const status = await manifests.run(args, {
    out: (more) => {
      text += more;
    },
    note: (more) => {
      notes += `${more}\n`;
    },
    environment: {},
    now: () => new Date(0),
  });
  return { status, text, notes, objects: parseAllDocuments(text).map((document) => document.toJS()) };
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

async function rules(...args: readonly string[]): Promise<readonly Rule[]> {
  return (await print('--only', 'access', ...args)).objects.flatMap((object) => object.rules ?? []);
}

describe('poolkeeper manifests', () => {
  test('[S0-19] the folder of the documentation is what the command prints', async () => {
    for (const part of ['access', 'admission-limit', 'pause-first', 'in-cluster'])
      expect((await print('--only', part)).text).toBe(await readFile(join(install, `${part}.yaml`), 'utf8'));
  });

  test('[S0-18] [C-11] nobody gets a wildcard, a secret or a write that is not needed', async () => {
    const all = await rules();

    for (const rule of all) {
      expect([...rule.apiGroups, ...rule.resources, ...rule.verbs]).not.toContain('*');
      expect(rule.resources).not.toContain('secrets');
    }
    const writes = all.filter(({ verbs }) => verbs.some((verb) => !['get', 'list'].includes(verb)));
    expect(writes.map(({ resources, verbs }) => `${verbs} ${resources}`)).toEqual([
      'patch machineconfigpools',
      'create events',
      'create serviceaccounts/token',
    ]);
  });

  test('[S0-18] named pools are the only ones that may be patched', async () => {
    const named = (await rules('--pools', 'worker,gpu')).find(({ verbs }) => verbs.includes('patch'));

    expect(named?.resourceNames).toEqual(['worker', 'gpu']);
  });

  test('[S0-18] level observe writes nothing but the renewal of its own token', async () => {
    const { objects } = await print('--level', 'observe');

    const writes = objects
      .flatMap(({ rules: own = [] }) => own)
      .filter(({ verbs }: Rule) => !verbs.includes('get') && !verbs.includes('list'));
    expect(writes).toEqual([
      { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['poolkeeper'], verbs: ['create'] },
    ]);
    const policies = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    expect(policies.map(({ metadata }) => metadata.name)).toEqual(['poolkeeper-may-only-renew']);
  });

  test('[C-13] [N-29] says beside a limit of tokens what it would not let renew, and which pools lose their right', async () => {
    const { notes } = await print('--pools', 'worker');
    const whole = await print('--audience', 'https://oidc.example.com');
    const policy = await print('--level', 'admission', '--only', 'pause-first', '--pools', 'worker');

    expect(notes).toContain('Otherwise the token is not renewed');
    expect(notes).toContain('no other pool can be paused or resumed');
    expect(whole.notes).not.toContain('--audience');
    expect(policy.notes).toBe('');
    expect(policy.objects.map(({ metadata }) => metadata.name)).not.toContain('poolkeeper-may-only-renew');
  });

  test('[N-27] level admission is level react and the policy that has a pool paused first', async () => {
    const parts = async (level: string) =>
      (await print('--level', level)).objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

    const react = await parts('react');
    const more = (await parts('admission')).filter((each) => !react.includes(each));

    expect(more).toEqual([
      'ValidatingAdmissionPolicy poolkeeper-pause-first',
      'ValidatingAdmissionPolicyBinding poolkeeper-pause-first',
    ]);
  });

  test('[N-27] [S0-18] Applications may be patched only where a refused sync shall be started again, and only their operation', async () => {
    const verbs = async (...args: readonly string[]) =>
      (await rules(...args)).find(({ resources }) => resources.includes('applications'))?.verbs;
    const limits = async (...args: readonly string[]) =>
      (await print('--only', 'admission-limit', ...args)).objects.map(({ metadata }) => metadata.name);
    const restart = ['--level', 'admission', '--on-refused-sync', 'restart'];

    expect(await verbs('--level', 'admission')).toEqual(['get', 'list']);
    expect(await verbs('--on-refused-sync', 'restart')).toEqual(['get', 'list']);
    expect(await verbs(...restart)).toEqual(['get', 'list', 'patch']);
    expect(await limits(...restart)).toContain('poolkeeper-may-only-start');
    expect(await limits('--level', 'admission')).not.toContain('poolkeeper-may-only-start');
  });

  test('[S3-13] MachineHealthChecks may be paused only where that is asked for, in their namespace, and nothing else of them', async () => {
    const about = async (...args: readonly string[]) =>
      (await print('--only', 'access,admission-limit', ...args)).objects
        .filter((object) => JSON.stringify(object).includes('machinehealthchecks'))
        .map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);

    expect(await about()).toEqual([]);
    expect(await about('--level', 'observe', '--pause-health-checks')).toEqual([]);
    expect(await about('--pause-health-checks')).toEqual([
      'Role openshift-machine-api/poolkeeper-health-checks',
      'ValidatingAdmissionPolicy /poolkeeper-may-only-pause-health-checks',
    ]);
    const role = (await rules('--pause-health-checks')).find(({ resources }) =>
      resources.includes('machinehealthchecks'),
    );
    expect(role?.verbs).toEqual(['list', 'patch']);
  });

  test('[N-27] named pools are protected by name, others by not being required for upgrades', async () => {
    const bindings = async (...args: readonly string[]) =>
      (await print('--only', 'pause-first', ...args)).objects.slice(1).map(({ spec }) => spec.paramRef);

    expect(await bindings('--pools', 'worker,gpu')).toEqual([
      { name: 'worker', parameterNotFoundAction: 'Allow' },
      { name: 'gpu', parameterNotFoundAction: 'Allow' },
    ]);
    expect(await bindings()).toEqual([{ selector: expect.anything(), parameterNotFoundAction: 'Allow' }]);
  });

  test('both forms of the notifications carry the same texts', async () => {
    const common = ['--only', 'notifications', '--url', 'https://pk.test/', '--instance', 'hub'];
    const [configMap] = (await print(...common, '--argocd-form', 'configmap')).objects;
    const [operators] = (await print(...common, '--argocd-form', 'operator')).objects;

    const { context, ...others } = configMap.data;
    const { services, triggers, templates, subscriptions } = operators.spec;
    expect({ ...services, ...triggers, ...templates, ...subscriptions }).toEqual(others);
    expect(operators.spec.context).toEqual(parse(context));
    expect(operators.spec.context).toEqual({ poolkeeperInstance: 'hub' });
    expect(parse(others['service.webhook.poolkeeper']).url).toBe('https://pk.test/argocd');
  });

  test('the operator of OpenShift GitOps is served in its own form without being asked', async () => {
    const kinds = async (...args: readonly string[]) => (await print(...args)).objects.map(({ kind }) => kind);

    expect(await kinds('--only', 'notifications,argocd-settings')).toEqual(['ArgoCD', 'NotificationsConfiguration']);
    expect(await kinds('--only', 'notifications,argocd-settings', '--argocd-namespace', 'argocd')).toEqual([
      'ConfigMap',
      'ConfigMap',
    ]);
    expect(await kinds('--only', 'notifications,argocd-settings', '--argocd-namespace', 'none')).toEqual([]);
  });

  test("the operator's settings go into the ArgoCD resource that is there, whatever Poolkeeper calls this Argo CD", async () => {
    const nameIn = async (...args: readonly string[]) =>
      (await print('--only', 'argocd-settings', '--instance', 'prod-eu-openshift-gitops', ...args)).objects[0].metadata;

    expect(await nameIn()).toEqual({ name: 'openshift-gitops', namespace: 'openshift-gitops' });
    expect(
      await nameIn('--argocd-namespace', 'team-a', '--argocd-form', 'operator', '--argocd-resource', 'own'),
    ).toEqual({ name: 'own', namespace: 'team-a' });
  });

  test('the JSON form is the same list of objects', async () => {
    const [yaml, json] = [await print(), await print('--output', 'json')];

    expect(JSON.parse(json.text).items).toEqual(yaml.objects);
  });

  test('what was left out is said beside the manifests, not in them', async () => {
    const { notes, status } = await print('--level', 'handshake');

    expect(status).toBe(0);
    expect(notes).toContain('--url is not given');
    expect(notes).toContain('--only presync-job');
  });

  test.each([
    [['--level', 'guarded'], '--level guarded: must be one of observe, react, handshake'],
    [['--level', 'admission', '--kubernetes', 'v1.29.4+abc'], 'needs Kubernetes 1.30; v1.29.4+abc has no'],
    [['--except', 'deployer'], '--except deployer: must be namespace/name'],
    [['--on-refused-sync', 'retry'], '--on-refused-sync retry: must be one of tell, restart'],
    [['--token-hours', '0'], '--token-hours 0: must be a number from 1 to 8760'],
    [['--only', 'secrets'], '--only secrets: must be one of'],
    [['--pools', 'Worker'], '--pools: Worker is not a Kubernetes name'],
    [['--url', 'poolkeeper.example.com'], 'must be an https:// address'],
    [['--colour'], "Unknown option '--colour'"],
  ])('%j is refused in words', async (args, words) => {
    const refused = print(...args);

    await expect(refused).rejects.toThrow(Misconfigured);
    await expect(refused).rejects.toThrow(words);
  });
});

test.each([
  'manifests',
  'manifests --level guard --pools worker,gpu',
  'manifests --level admission --on-refused-sync restart --pools worker,gpu',
  'manifests --pause-health-checks',
])('[N-29] %s leaves the address of notifications as it is, and says so', async (line) => {
  const [, ...words] = line.split(' ');
  const { text, notes } = await print(...words);
  const whole = await print(...words, '--url', 'https://pk.test');

  expect(text).not.toContain('poolkeeper.example.com');
  expect(text).not.toContain('NotificationsConfiguration');
  expect(notes).toContain('the notifications of Argo CD are left out');
  expect(whole.text).toContain('https://pk.test/argocd');
  expect(whole.notes).not.toContain('left out');
});

describe('the PreSync Job', () => {
  test('[S0-22] ends by itself, keeps a failed log for a day, and has no right on the cluster', async () => {
    const [job] = (await print('--only', 'presync-job', '--application', 'shop', '--url', 'https://pk.test')).objects;

    expect(job.spec).toMatchObject({ ttlSecondsAfterFinished: 86_400, backoffLimit: 1 });
    expect(job.spec.template.spec.automountServiceAccountToken).toBe(false);
    expect(JSON.stringify(job.spec.template.spec.containers[0].env)).not.toContain('secretKeyRef');
  });

  test('[S0-5] [S0-22] has minutes to start in, so that its script ends before its pod is deleted with the log', async () => {
    const [job] = (await print('--only', 'presync-job', '--application', 'shop')).objects;
    const { env } = job.spec.template.spec.containers[0];
    const script = env.find(({ name }: { readonly name: string }) => name === 'DEADLINE_SECONDS').value;

    expect(job.spec.activeDeadlineSeconds - Number(script)).toBeGreaterThanOrEqual(300);
  });

  test('[S0-5] has a name of its own for each Application, which every label takes', async () => {
    const long = 'x'.repeat(40);
    const asked = [
      ['--application', 'shop'],
      ['--application', 'shop', '--argocd-namespace', 'team-a'],
      ['--application', 'shop', '--instance', 'hub'],
      ['--application', 'shop.eu'],
      ['--application', `${long}-eu`],
      ['--application', `${long}-us`],
    ];

    const printed = await Promise.all(asked.map((args) => print('--only', 'presync-job', ...args)));
    const names = printed.map(({ objects: [job] }) => job.metadata.name);

    expect(new Set(names).size).toBe(asked.length);
    for (const name of names) expect(name).toMatch(/^poolkeeper-handshake-[a-z0-9.-]{0,40}[a-z0-9]$/);
  });

  test.each(['openshift-gitops/shop', 'Shop', 'shop_eu'])(
    '[S0-5] is not printed for %j, which names no Application',
    async (name) => {
      await expect(print('--only', 'presync-job', '--application', name)).rejects.toThrow(
        `--application ${name}: is not the name of an Application`,
      );
    },
  );

  test('[S0-5] without an Application it says that it is to be printed again', async () => {
    const { notes } = await print('--only', 'presync-job');

    expect(notes).toContain('--application is not given');
  });

  test('waits while the pause is not confirmed and ends well when it is', async () => {
    const poolkeeper = await startPoolkeeper([503, 409, 200]);

    const { status, said } = await runScript(poolkeeper.url);

    expect(status).toBe(0);
    expect(poolkeeper.asked).toHaveLength(3);
    expect(poolkeeper.asked[0]).toEqual({
      authorization: 'Bearer s3cret',
      body: { argocd: 'hub', namespace: 'argocd', name: 'shop' },
    });
    expect(said).not.toContain('s3cret');
  });

  test('[N-30] sends the newest token of a value in rotation, and prints none', async () => {
    const poolkeeper = await startPoolkeeper([200]);

    const { status, said } = await runScript(poolkeeper.url, {}, 's3cret-new\ns3cret-old\n');

    expect(status).toBe(0);
    expect(poolkeeper.asked).toMatchObject([{ authorization: 'Bearer s3cret-new' }]);
    expect(said).not.toContain('s3cret');
  });

  test('does not ask again when that will not help', async () => {
    const poolkeeper = await startPoolkeeper([401]);

    const { status, said } = await runScript(poolkeeper.url);

    expect(status).toBe(3);
    expect(poolkeeper.asked).toHaveLength(1);
    expect(said).toContain('will not help');
  });

  test.each(['<html>Sign in</html>', '', '{"confirmed":false}', '{"status":"ok"}'])(
    '[S0-5] [N-30] a 200 of somebody else, %j, lets no sync begin',
    async (body) => {
      const { url } = await startPoolkeeper([409, 200], body);

      const { status, said } = await runScript(url);

      expect(status).toBe(3);
      expect(said).toContain('no confirmation of Poolkeeper');
    },
  );

  test('[S0-5] does not print an earlier answer as that of a server that gives none', async () => {
    const { url } = await startPoolkeeper([409, 0, 401]);

    const { said } = await runScript(url);

    expect(said.match(/answered \d+: .*/g)).toEqual([
      'answered 409: {"reason":"as told"}',
      'answered 000: ',
      'answered 401: {"reason":"as told"}',
    ]);
  });

  test('[S0-5] asks again after an answer that was cut off, whatever its status', async () => {
    const poolkeeper = await startPoolkeeper([200, 200], '{"confirmed":true}', { cut: 1 });

    const { status, said } = await runScript(poolkeeper.url);

    expect(status).toBe(0);
    expect(poolkeeper.asked).toHaveLength(2);
    expect(said).toContain('answered 000: {"confirm\n');
  });

  test('fails the sync, in words, when the time is up', async () => {
    const poolkeeper = await startPoolkeeper([409]);

    const { status, said } = await runScript(poolkeeper.url, { DEADLINE_SECONDS: '0' });

    expect(status).toBe(3);
    expect(said).toContain('were not confirmed paused within 0 s');
  });
});

/** Answers with the statuses in turn, the last one for ever; 0: closes the connection without an answer.
 *  @param cut so many answers from the first one break off */
async function startPoolkeeper(
  statuses: readonly number[],
  confirmed = '{"confirmed":true,"reason":"as told"}',
  { cut = 0 }: { readonly cut?: number } = {},
) {
  const asked: { authorization: string | undefined; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const status = statuses[Math.min(asked.length, statuses.length - 1)] ?? 500;
    asked.push({
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    });
    if (status === 0) request.socket.destroy();
    else if (asked.length <= cut)
      response
        .writeHead(status, { 'content-length': confirmed.length })
        .write(confirmed.slice(0, 9), () => request.socket.destroy());
    else response.writeHead(status, { connection: 'close' }).end(status === 200 ? confirmed : '{"reason":"as told"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function runScript(url: string, environment: Readonly<Record<string, string>> = {}, token = 's3cret\n') {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-job-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'token'), token);
  const [job] = (await print('--only', 'presync-job', '--application', 'shop', '--url', url)).objects;
  const [shell, ...script] = job.spec.template.spec.containers[0].command;
  const child = spawn(shell, script, {
    env: {
      PATH: process.env['PATH'],
      TMPDIR: folder,
      POOLKEEPER_URL: url,
      ARGOCD: 'hub',
      APPLICATION_NAMESPACE: 'argocd',
      APPLICATION: 'shop',
      DEADLINE_SECONDS: '60',
      FIRST_PAUSE_SECONDS: '0',
      TOKEN_FILE: join(folder, 'token'),
      ...environment,
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, said };
}
