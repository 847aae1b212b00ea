import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SequenceGate } from '../../../functions/core/configuration/sequence.ts';
import { gateJobProblems, gateObjects } from '../../../local/manifests/gate-job.ts';
import { knownKind } from '../../../local/manifests/known-kinds.ts';

const place = { name: 'virt-storage', namespace: 'openshift-storage', wave: 5, hookType: 'Sync' };
const storageClass = { resourceType: 'sc', resourceName: 'ceph-rbd' };

type Given = Parameters<typeof SequenceGate.parse>[0];

function objectsOf(gate: Given, options: Partial<typeof place> = {}) {
  // As it stands in Git.
  const objects = gateObjects(SequenceGate.parse(gate), { ...place, ...options });
  return JSON.parse(JSON.stringify(objects));
}

function jobOf(gate: Given, options: Partial<typeof place> = {}) {
  return objectsOf(gate, options).at(-1);
}

describe('the hook Job of a gate', () => {
  test('[S2-13] [S2-20] has an account, a namespace, an end, a limit of pods and a time to be seen', () => {
    const job = jobOf({ ...storageClass, timeoutSeconds: 7200 });

    expect(job).toMatchObject({
      kind: 'Job',
      metadata: {
        name: 'virt-storage',
        namespace: 'openshift-storage',
        annotations: {
          'argocd.argoproj.io/hook': 'Sync',
          'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
          'argocd.argoproj.io/sync-wave': '5',
        },
      },
      spec: {
        activeDeadlineSeconds: 7800,
        ttlSecondsAfterFinished: 86_400,
        backoffLimit: 6,
        template: {
          spec: {
            restartPolicy: 'Never',
            serviceAccountName: 'virt-storage',
            securityContext: { runAsNonRoot: true },
            containers: [{ image: 'image-registry.openshift-image-registry.svc:5000/openshift/cli:latest' }],
          },
        },
      },
    });
  });

  test('[S2-13] its account may list that one object and nothing else', () => {
    const [account, role, binding] = objectsOf(storageClass);

    expect(account).toMatchObject({
      kind: 'ServiceAccount',
      metadata: { name: 'virt-storage', namespace: 'openshift-storage' },
    });
    expect(role).toMatchObject({
      kind: 'ClusterRole',
      rules: [
        { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], resourceNames: ['ceph-rbd'], verbs: ['list'] },
      ],
    });
    expect(binding).toMatchObject({
      kind: 'ClusterRoleBinding',
      roleRef: { kind: 'ClusterRole', name: role.metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: 'virt-storage', namespace: 'openshift-storage' }],
    });
  });

  test('[S2-13] in a namespace its role is one of that namespace', () => {
    const [, role, binding] = objectsOf({ resourceType: 'storageclusters.ocs.openshift.io', resourceNamespace: 'ocs' });

    expect([role.kind, role.metadata.namespace, binding.kind]).toEqual(['Role', 'ocs', 'RoleBinding']);
    expect(role.rules).toEqual([{ apiGroups: ['ocs.openshift.io'], resources: ['storageclusters'], verbs: ['list'] }]);
  });

  test('[S2-5] what a PreSync hook needs is made in PreSync too', () => {
    const objects = objectsOf(storageClass, { hookType: 'PreSync' });
    const hooks = objects.map((each: { metadata: { annotations: object } }) => each.metadata.annotations);

    expect(hooks).toHaveLength(4);
    for (const annotations of hooks) expect(annotations).toMatchObject({ 'argocd.argoproj.io/hook': 'PreSync' });
  });

  test('[S2-6] a command of its own runs in its image, under its account, and is not asked for anything else', () => {
    const gate = { image: 'quay.io/a/b:1', command: ['/bin/check'], serviceAccount: 'checker' };

    expect(objectsOf(gate)).toHaveLength(1);
    expect(jobOf(gate).spec.template.spec).toMatchObject({
      serviceAccountName: 'checker',
      containers: [{ image: 'quay.io/a/b:1', command: ['/bin/check'] }],
    });
    expect(jobOf({ ...storageClass, image: 'quay.io/a/oc:4' }).spec.template.spec.containers[0].image).toBe(
      'quay.io/a/oc:4',
    );
  });

  test('[S2-20] what a Job cannot ask is said, by its key', () => {
    const problems = (gate: Given) => gateJobProblems(SequenceGate.parse(gate)).map(({ key }) => key);

    expect(problems({ resourceType: 'sc', cel: 'true' })).toEqual(['cel']);
    expect(problems({ http: { url: 'https://example.com' } })).toEqual(['http']);
    expect(problems({ resourceType: 'gadget' })).toEqual(['resourceType']);
    expect(problems({ resourceType: 'gadgets.example.com' })).toEqual([]);
    expect(problems({ preset: 'webhook-endpoints', resourceName: 'svc', resourceNamespace: 'x' })).toEqual([]);
  });

  test.each([
    ['sc', 'storage.k8s.io', 'storageclasses'],
    ['StorageClass', 'storage.k8s.io', 'storageclasses'],
    ['deployments.v1.apps', 'apps', 'deployments'],
    ['csv', 'operators.coreos.com', 'clusterserviceversions'],
    ['filesystems.scale.spectrum.ibm.com', 'scale.spectrum.ibm.com', 'filesystems'],
    ['cm', '', 'configmaps'],
  ])('[S2-3] %s is %s %s', (written, group, plural) => {
    expect(knownKind(written)).toEqual({ group, plural });
  });

  test('[S2-3] a kind of an unknown group that is no plural is not guessed', () => {
    expect(knownKind('Filesystem.scale.spectrum.ibm.com')).toBeUndefined();
  });
});

describe('the script of that Job', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'poolkeeper-gate-'));
    // Each look at the clock is half a minute later, and nobody sleeps.
    await program(
      'date',
      `case $1 in +*) n=$(cat ${folder}/now); echo $((n + 30)) >${folder}/now; echo "$n" ;; *) echo 12:00:00 ;; esac`,
    );
    await program('sleep', 'exit 0');
  });

  afterAll(() => rm(folder, { recursive: true }));

  async function program(name: string, text: string): Promise<void> {
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(folder, name), 0o755);
  }

  /** Runs the script of a gate against answers of `oc`, one for each time that it asks; the last one stays. */
  async function run(gate: Given, ...answers: readonly string[]) {
    const cases = answers.map((answer, index) => `${index === answers.length - 1 ? '*' : index + 1}) ${answer} ;;`);
    await program(
      'oc',
      `echo "$@" >${folder}/asked; n=$(cat ${folder}/n); n=$((n + 1)); echo $n >${folder}/n; case $n in\n${cases.join('\n')}\nesac`,
    );
    await Promise.all([writeFile(join(folder, 'n'), '0'), writeFile(join(folder, 'now'), '1000')]);
    const [container] = jobOf(gate).spec.template.spec.containers;
    const [shell, ...args] = container.command;
    const given = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
    return new Promise<{ readonly status: number; readonly lines: readonly string[] }>((resolve) => {
      const env = { ...given, PATH: `${folder}:/usr/bin:/bin`, HOME: folder };
      const child = execFile(shell, args, { env }, (_, stdout) => {
        resolve({ status: child.exitCode ?? -1, lines: stdout.trim().split('\n') });
      });
    });
  }

  /** What `oc` prints of objects: name, deletion, generation, status, reason, observed, health, value, version. */
  function found(...objects: readonly (readonly string[])[]): string {
    const lines = objects.map((fields) => Array.from({ length: 9 }, (_, index) => fields[index] ?? '').join('\\037'));
    return `printf '${lines.join('\\n')}\\n'`;
  }

  const nothing = 'true';
  const ready = { resourceType: 'pvc', condition: { type: 'Ready' } };

  test('[S2-17] [S2-20] it waits for what is not there, says so, and ends when it is', async () => {
    const { status, lines } = await run(storageClass, nothing, nothing, found(['ceph-rbd']));

    expect(status).toBe(0);
    expect(lines[0]).toMatch(/^12:00:00 waiting for sc ceph-rbd since \d+ s, for at most 14400 s: not there$/);
    expect(lines.at(-1)).toBe('12:00:00 open: sc ceph-rbd (1 of 1)');
  });

  test('[S2-10] [S2-17] it has an end, and says what was missing to the last', async () => {
    const { status, lines } = await run({ ...storageClass, timeoutSeconds: 600 }, nothing);

    expect(status).toBe(3);
    expect(lines.at(-1)).toBe('12:00:00 sc ceph-rbd: the time of 600 s is over: not there');
    // Once a minute, not each time.
    expect(lines.length).toBeLessThan(12);
  });

  test('[S2-10] with onTimeout proceed it lets the next wave go', async () => {
    const { status } = await run({ ...storageClass, timeoutSeconds: 600, onTimeout: 'proceed' }, nothing);

    expect(status).toBe(0);
  });

  test('[S2-20] forbidden, an unknown kind and a silent API server are told as what they are, at once', async () => {
    const { status, lines } = await run(
      storageClass,
      `echo 'Error from server (Forbidden): storageclasses is forbidden' >&2; exit 1`,
      `echo "error: the server doesn't have a resource type" >&2; exit 1`,
      `echo 'Unable to connect to the server: EOF' >&2; exit 1`,
      found(['ceph-rbd']),
    );

    expect(status).toBe(0);
    expect(lines.slice(0, 3).map((line) => line.replace(/^.*? s: /, ''))).toEqual([
      'forbidden to read it: Error from server (Forbidden): storageclasses is forbidden ',
      'the cluster has no kind storageclasses.storage.k8s.io',
      'the API server did not answer: Unable to connect to the server: EOF ',
    ]);
  });

  test.each([
    ['a condition that is False', ready, [['a', '', '2', 'False', 'Waiting', '2']], 'a: Ready is False (Waiting)'],
    ['no condition', ready, [['a']], 'a has no condition Ready'],
    [
      'a condition of an earlier generation',
      ready,
      [['a', '', '2', 'True', 'x', '1']],
      'a: Ready is True, of an earlier generation',
    ],
    ['what is being deleted', ready, [['a', '2026-11-22T10:00:00Z', '2', 'True']], 'a is being deleted'],
    [
      'another value',
      { resourceType: 'pvc', path: 'status.phase', equals: 'Bound' },
      [['a', '', '', '', '', '', '', 'Lost']],
      'a: status.phase is Lost',
    ],
    [
      'an older version',
      { resourceType: 'co', version: { atLeast: '4.17.2' } },
      [['a', '', '', '', '', '', '', '', '4.9.30']],
      'a: version is 4.9.30, not 4.17.2 or later',
    ],
    [
      'a pre-release',
      { resourceType: 'co', version: { atLeast: '4.17.2' } },
      [['a', '', '', '', '', '', '', '', '4.17.2-rc.1']],
      'a: version is 4.17.2-rc.1, not 4.17.2 or later',
    ],
    [
      'an Application that is not healthy',
      { resourceType: 'app', health: 'Healthy' },
      [['a', '', '', '', '', '', 'Degraded']],
      'a: health is Degraded',
    ],
    ['too few', { resourceType: 'node', count: { atLeast: 2 } }, [['a']], '1 of 1'],
    ['too many', { resourceType: 'node', count: { atMost: 1 } }, [['a'], ['b']], '2, more than 1'],
  ] as const)('[S2-9] [S2-20] %s does not open it', async (_what, gate, objects, why) => {
    const { status, lines } = await run({ ...gate, timeoutSeconds: 60 }, found(...objects));

    expect(status).toBe(3);
    expect(lines[0]).toContain(why);
  });

  test.each([
    ['a condition', ready, [['a', '', '2', 'True', 'x', '2']]],
    ['a condition without generations', ready, [['a', '', '', 'True']]],
    [
      'one of several values',
      { resourceType: 'pvc', path: 'status.phase', oneOf: ['Bound', 'Ready'] },
      [['a', '', '', '', '', '', '', 'Ready']],
    ],
    [
      'a later version',
      { resourceType: 'co', version: { atLeast: 'v4.9.30' } },
      [['a', '', '', '', '', '', '', '', 'v4.17.2']],
    ],
    [
      'one of several that fulfils it',
      ready,
      [
        ['a', '', '', 'False'],
        ['b', '', '', 'True'],
      ],
    ],
    ['none, if none may be there', { resourceType: 'pod', count: { atLeast: 0, atMost: 0 } }, []],
  ] as const)('[S2-9] [S2-20] %s opens it', async (_what, gate, objects) => {
    const { status } = await run({ ...gate, timeoutSeconds: 60 }, objects.length === 0 ? nothing : found(...objects));

    expect(status).toBe(0);
  });

  test('[S2-20] a value with signs of a shell is compared, not run', async () => {
    const value = '$(touch /tmp/poolkeeper-ran) `id` ; *';
    const gate = { resourceType: 'cm', path: 'data.x', equals: value, timeoutSeconds: 60 };

    expect((await run(gate, `printf '%s\\n' 'a\x1f\x1f\x1f\x1f\x1f\x1f\x1f${value}\x1f'`)).status).toBe(0);
  });
});
