import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, onTestFinished, test } from 'vitest';
import { secretWriter } from '../../../../functions/adapters/aws/secret-writer.ts';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { readConfiguration } from '../../../../functions/shell/configuration/read-configuration.ts';
import { readYaml } from '../../../../functions/shell/configuration/yaml-text.ts';
import {
  addEntry,
  argocdHomes,
  type ClusterEntry,
  entryYaml,
  plannedRemoval,
  removeEntry,
  requireRoomForEntry,
  requireSameCluster,
} from '../../../../local/cli/connection/configuration-entry.ts';
import { secretKeeper } from '../../../../local/cli/connection/secret-keeper.ts';
import { tokenStore } from '../../../../local/cli/connection/token-store.ts';

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-stores-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const entry: ClusterEntry = {
  name: 'prod-eu',
  server: 'https://api.prod-eu.example.com:6443',
  ca: undefined,
  skipTLSVerify: false,
  tokenSecret: 'poolkeeper/prod/prod-eu/token',
  argocd: { home: 'openshift-gitops', namespaces: ['openshift-gitops'] },
};

describe('the entry of a cluster in poolkeeper.yaml', () => {
  test('[C-13] is refused where another cluster has its token there', async () => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    const { tokenSecret } = tokenStore({ name: 'prod-eu', secret: undefined, folder: '.' });
    await addEntry(file, { ...entry, name: 'prod.eu', tokenSecret, argocd: undefined });

    const twin = requireRoomForEntry(file, { ...entry, tokenSecret });

    await expect(twin).rejects.toThrow(Misconfigured);
    await expect(twin).rejects.toThrow('cluster prod.eu has its token in POOLKEEPER_TOKEN_PROD_EU');
  });

  test('comes into a file that has comments, changes nothing else, and goes again', async () => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    const before =
      'clusters:\n  # The first one.\n  - name: test\n    api: { server: https://a.example.com:6443, tokenSecret: T }\n';
    await writeFile(file, before);

    await addEntry(file, entry);
    await addEntry(file, { ...entry, tokenSecret: 'another' });
    const added = await readFile(file, 'utf8');
    const done = await removeEntry(file, 'prod-eu');

    expect(added.startsWith(before)).toBe(true);
    expect(added.match(/name: prod-eu$/gm)).toHaveLength(1);
    expect(added).toContain('tokenSecret: another');
    expect(done).toBe('removed');
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  const twoEntries = `clusters:
  - name: prod-us
    api: { server: https://b.example.com:6443, tokenSecret: U }
  - name: prod-eu
    api:
      server: https://a.example.com:6443
      tokenSecret: T
`;
  const windows = '# Back on after the freeze, ask Anna:\n# windows:\n#   - name: nights\n';
  const alerts = 'alerts:\n  targets: []\n';
  const ofArgocd = 'argocd:\n  - name: prod-eu\n    cluster: prod-eu\n    namespaces: [openshift-gitops]\n';

  test.each([
    ['a section that goes', `${twoEntries}${ofArgocd}  # - name: prod-us\n\n${windows}${alerts}`],
    ['the last section, which goes', `${alerts}${twoEntries}${ofArgocd}  # - name: prod-us\n${windows}`],
    ['the last Argo CD, which goes', `${twoEntries}${ofArgocd}    # its own\n${windows}${alerts}`],
    ['the last cluster', `${twoEntries}      # its own\n${windows}${alerts}`],
    ['the last cluster, and a section that goes', `${twoEntries}      # its own\n${windows}${ofArgocd}${alerts}`],
    [
      'a cluster that is not the last',
      `${twoEntries}      # its own\n${windows.replaceAll('#', '  #')}  - name: c\n    api: { server: https://c:6443, tokenSecret: C }\n`,
    ],
  ])(
    '[C-13] [N-29] goes without the comments of what comes next, each of which stays once: below %s',
    async (_, text) => {
      const file = join(await temporary(), 'poolkeeper.yaml');
      await writeFile(file, text);

      const done = await removeEntry(file, 'prod-eu');

      const after = await readFile(file, 'utf8');
      expect(done).toBe('removed');
      expect(after.replaceAll('  #', '#').split(windows)).toHaveLength(2);
      expect(after).not.toContain('prod-eu');
      expect(after).not.toContain('its own');
    },
  );

  test.each([
    ['a mapping of clusters', 'clusters: { prod-us: { api: {} } }\n', ': clusters: must be a list'],
    ['a text as clusters', 'clusters: all\n', ': clusters: must be a list'],
    ['a mapping of Argo CDs', 'clusters: []\nargocd: { cluster: prod-us }\n', ': argocd: must be a list'],
    ['a list', '- prod-us\n', ' (the file): must be a mapping'],
    ['a text', 'prod-us\n', ' (the file): must be a mapping'],
  ])('[C-13] [N-29] is refused in a file with %s, which stays as it is', async (_, before, said) => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    await writeFile(file, before);

    for (const act of [requireRoomForEntry, addEntry, () => plannedRemoval(file, 'prod-us')]) {
      const refused = act(file, entry);
      await expect(refused).rejects.toThrow(Misconfigured);
      await expect(refused).rejects.toThrow(`${file}${said}`);
    }
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  const us = 'name: prod-us, api: { server: https://api.prod-us.example.com:6443, tokenSecret: US }';
  test.each([
    ['at the top', `%YAML 1.1\n---\n<<: { clusters: [{ ${us} }] }\n`, '["<<"]'],
    ['at the top, as YAML 1.2 reads it', `<<: { clusters: [{ ${us} }] }\nclusters: []\n`, '["<<"]'],
    ['in an entry', `%YAML 1.1\n---\nclusters:\n  - {}\n  - { <<: { ${us} } }\n`, 'clusters[1]["<<"]'],
    ['with a tag', `clusters:\n  - { ? !!merge << : { ${us} } }\n`, 'clusters[0]["<<"]'],
  ])('[C-13] [N-29] is refused in a file with a merge key %s, which stays as it is', async (_, before, place) => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    await writeFile(file, before);

    for (const act of [requireRoomForEntry, addEntry, () => plannedRemoval(file, 'prod-us')]) {
      const refused = act(file, entry);
      await expect(refused).rejects.toThrow(Misconfigured);
      await expect(refused).rejects.toThrow(`${file}: ${place} is a merge key`);
    }
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test('[C-13] [N-29] comes where a symbolic link leads, which stays one, and the file keeps its mode', async () => {
    const folder = await temporary();
    const [place, link] = [join(folder, 'real', 'poolkeeper.yaml'), join(folder, 'poolkeeper.yaml')];
    await mkdir(join(folder, 'real'));
    await writeFile(place, 'clusters: []\n');
    await chmod(place, 0o600);
    await symlink(place, link);

    await addEntry(link, entry);

    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(place, 'utf8')).toContain('name: prod-eu');
    expect((await stat(place)).mode & 0o777).toBe(0o600);
  });

  test('[C-13] [N-29] comes beside those of others that are added at the same time, each of them once', async () => {
    const folder = await temporary();
    const file = join(folder, 'poolkeeper.yaml');
    const names = ['prod-eu', 'prod-us', 'prod-ap', 'lab'];
    const server = (name: string) => `https://api.${name}.example.com:6443`;

    await Promise.all(names.map((name) => addEntry(file, { ...entry, name, server: server(name), tokenSecret: name })));

    const added = [...(await readFile(file, 'utf8')).matchAll(/^ {2}- name: ([\w-]+)\n {4}api:/gm)].map(
      ([, name]) => name,
    );
    expect(added.toSorted()).toEqual(names.toSorted());
    expect(await readdir(folder)).toEqual(['poolkeeper.yaml']);
  });

  test.each([
    ['an open document', '---\n', '---\nclusters:\n'],
    ['an open document with a comment', '---\n# todo\n', '---\n# todo\nclusters:\n'],
    ['null', 'null # at\n# after\n', '# at\nclusters:\n'],
    ['nothing', '# before\n~\n# after\n', '# before\nclusters:\n'],
    ['comments alone', '# only\n', '# only\n\nclusters:\n'],
    ['lists of nothing', 'clusters: # here\n  # first\nargocd: ~ # none\n', 'clusters:\n  # here\n  # first\n'],
  ])('[C-13] [N-29] comes into a file of %s, whose comments stay', async (_, before, start) => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    await writeFile(file, before);

    await requireRoomForEntry(file, entry);
    await addEntry(file, entry);

    const text = await readFile(file, 'utf8');
    expect(text.startsWith(`${start}  - name: prod-eu\n`)).toBe(true);
    expect(text.match(/# \w+/g)).toEqual(before.match(/# \w+/g));
    expect(text).toContain('  - name: prod-eu-openshift-gitops\n');
  });

  test.each([
    ['line breaks of Windows', '# top\r\nclusters: # here\r\n  # first\r\n  - name: test # x\r\n', '\r\n# end\r\n'],
    ['a byte order mark', '\uFEFF# top\nclusters:\n  - name: test\n', '\n'],
    ['letters beyond ASCII', '# für 銀行\nclusters:\n  - name: test\n', '\n'],
  ])('[C-13] [N-29] comes into a file with %s, which stay, and goes again', async (_, start, end) => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    const before = `${start}    api: { server: https://a.example.com:6443, tokenSecret: T }${end}`;
    await writeFile(file, before);

    await requireRoomForEntry(file, entry);
    await addEntry(file, entry);
    const added = await readFile(file, 'utf8');
    await removeEntry(file, 'prod-eu');
    const removed = await readFile(file, 'utf8');

    const isWindows = before.includes('\r');
    expect(added).toContain('name: prod-eu');
    expect([...added.matchAll(/(\r*)\n/g)].every(([, returns]) => returns === (isWindows ? '\r' : ''))).toBe(true);
    expect(readYaml(removed).data).toEqual(readYaml(before).data);
    expect(removed.match(/# \S+|\uFEFF/g)).toEqual(before.match(/# \S+|\uFEFF/g));
  });

  test('[C-13] [N-29] is refused in a file that is not UTF-8, whose letters would be lost', async () => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    const before = Buffer.from('clusters: []\n# für die Bank\n', 'latin1');
    await writeFile(file, before);

    for (const act of [requireRoomForEntry, addEntry, () => plannedRemoval(file, 'prod-us')]) {
      const refused = act(file, entry);
      await expect(refused).rejects.toThrow(Misconfigured);
      await expect(refused).rejects.toThrow(`${file}:2:1 (the file): is not UTF-8: convert it`);
    }
    expect(await readFile(file)).toEqual(before);
  });

  test('[C-13] [N-29] is refused in a file that is read-only, also to an administrator', async () => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    const [us, eu] = ['prod-us', 'prod-eu'].map((name) => ({ ...entry, name, server: `https://${name}.example.com` }));
    await addEntry(file, { ...entry, ...us, tokenSecret: 'US' });
    await addEntry(file, { ...entry, ...eu });
    const before = await readFile(file, 'utf8');
    await chmod(file, 0o444);

    for (const act of [requireRoomForEntry, addEntry, () => plannedRemoval(file, 'prod-us')]) {
      const refused = act(file, entry);
      await expect(refused).rejects.toThrow(Misconfigured);
      await expect(refused).rejects.toThrow(`${file}: is read-only: chmod u+w ${file} first, if it may be written`);
    }
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test.each([
    [62, 'a'.repeat(62)],
    [63, 'a'.repeat(63)],
    [57, `${'a'.repeat(57)}-open`],
  ])('[N-29] has an Argo CD of a name that is one, also for a cluster of %i letters', async (letters, name) => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    const home = letters === 57 ? 'open-gitops' : 'openshift-gitops';

    await addEntry(file, { ...entry, name: 'a'.repeat(letters), argocd: { home, namespaces: [home] } });

    const [argocd] = readConfiguration(await readFile(file, 'utf8'), { source: file }).argocd;
    expect(argocd?.name).toBe(name);
  });

  test('is never written when the file would not be a configuration any more', async () => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    await writeFile(file, 'clusters: []\nno-such-key: 1\n');

    await expect(addEntry(file, entry)).rejects.toThrow(Misconfigured);

    expect(await readFile(file, 'utf8')).toBe('clusters: []\nno-such-key: 1\n');
  });

  test('is printed as YAML for people who write the file themselves', () => {
    expect(entryYaml(entry)).toBe(`clusters:
  - name: prod-eu
    api:
      server: https://api.prod-eu.example.com:6443
      tokenSecret: poolkeeper/prod/prod-eu/token
argocd:
  - name: prod-eu-openshift-gitops
    cluster: prod-eu
    namespaces:
      - openshift-gitops
    controllerNamespace: openshift-gitops
`);
  });
});

describe('[C-13] [N-29] a cluster that is connected again', () => {
  const again: ClusterEntry = { ...entry, tokenSecret: 'another', argocd: undefined };
  const api = (lines: string) =>
    `clusters:\n  - name: prod-eu\n    api:\n${lines}    # The end.\n    consoleUrl: https://console.example.com\n`;
  const pem = () => readFile('test/functions/adapters/tls/ca.pem', 'utf8');

  async function connectedAgain(before: string, wanted: ClusterEntry) {
    const folder = await temporary();
    const file = join(folder, 'poolkeeper.yaml');
    await writeFile(join(folder, 'bank.pem'), await pem());
    await writeFile(file, before);
    const refused = await Promise.all([requireRoomForEntry(file, wanted), addEntry(file, wanted)]).then(
      () => undefined,
      (cause: unknown) => {
        expect(cause).toBeInstanceOf(Misconfigured);
        return String(cause);
      },
    );
    return { file, refused, text: await readFile(file, 'utf8') };
  }

  test.each(['none', 'one'])(
    'keeps comments, and the file of an authority that somebody has written there, where the kubeconfig has %s',
    async (own) => {
      const lines = [
        "      # Behind the bank's proxy.",
        '      server: https://api.prod-eu.example.com:6443 # by its name',
        '      caFile: bank.pem # signs for the proxy',
        '      tokenSecret: OLD # renewed by Ann',
      ];
      const before = api(`${lines.join('\n')}\n`);

      const { text } = await connectedAgain(before, { ...again, ca: own === 'one' ? await pem() : undefined });

      expect(text).toBe(before.replace('OLD', 'another'));
    },
  );

  test('keeps an authority where the kubeconfig has none', async () => {
    const lines = (await pem()).trim().replaceAll(/^/gm, '        ');
    const before = api(
      `      server: ${entry.server}\n      # Of the proxy.\n      ca: |\n${lines}\n      tokenSecret: OLD\n`,
    );

    const { text } = await connectedAgain(before, again);

    expect(text).toBe(before.replace('OLD', 'another'));
  });

  test('[C-13] is written beside a cluster that a pod runs on, whose authority is nowhere but there', async () => {
    const account = '/var/run/secrets/kubernetes.io/serviceaccount';
    const own = `{ server: "https://kubernetes.default.svc", caFile: ${account}/ca.crt, tokenSecret: service-account }`;
    const before = `clusters:\n  - name: lab\n    api: ${own}\n`;

    const { refused, text } = await connectedAgain(before, again);

    expect(refused).toBe(undefined);
    expect(text).toContain(entry.server);
    expect(text).toContain(account);
  });

  test('gets that of the kubeconfig, and no longer goes without one', async () => {
    const ca = await pem();
    const local = 'https://127.0.0.1:6443';
    const before = `clusters:\n  - { name: prod-eu, api: { server: "${local}", skipTLSVerify: true, tokenSecret: OLD } }\n`;

    const { file, text } = await connectedAgain(before, { ...again, server: local, ca });

    const [cluster] = readConfiguration(text, { source: file }).clusters;
    expect(cluster?.api).toMatchObject({ server: local, ca, tokenSecret: 'another', skipTLSVerify: false });
  });

  test('is as it was where nothing has changed, also where another one has its part as an alias', async () => {
    const before = `${api(`      server: ${entry.server}\n      tokenSecret: &one another\n`)}alerts: { targets: [ { kind: outbox, name: *one } ] }\n`;

    const { refused, text } = await connectedAgain(before, again);

    expect([refused, text]).toEqual([undefined, before]);
  });

  test('is refused where another one has its part as an alias, which would change there', async () => {
    const before = `clusters:\n  - name: prod-eu\n    api: &api { server: "${entry.server}", tokenSecret: OLD }\n  - name: dev\n    api: *api\n`;

    const { file, refused, text } = await connectedAgain(before, again);

    expect(refused).toContain(
      `${file}: clusters[1].api is the alias *api, and what it names would change: write it out there first`,
    );
    expect(text).toBe(before);
  });

  test('is refused where its part is an alias itself', async () => {
    const before = `clusters:\n  - name: dev\n    api: &api { server: "${entry.server}", tokenSecret: OLD }\n  - name: prod-eu\n    api: *api\n`;

    const { file, refused, text } = await connectedAgain(before, again);

    expect(refused).toContain(`${file}: clusters[1].api is an alias (*), and what it names would change`);
    expect(text).toBe(before);
  });

  test('is refused where a Poolkeeper that runs on the cluster has it by its own address', async () => {
    const before = api(
      '      server: https://kubernetes.default.svc\n      caFile: bank.pem\n      tokenSecret: service-account\n',
    );

    const { file, refused, text } = await connectedAgain(before, again);

    expect(refused).toContain(
      `${file} has cluster prod-eu at https://kubernetes.default.svc, as a Poolkeeper that runs on it reaches it`,
    );
    expect(text).toBe(before);
  });
});

/** Two clusters and their Argo CDs, with anchors in the first. */
function twoClusters({ server = 'https://dev.example.com:6443', cluster = 'dev', argocd = '' }): string {
  return `clusters:
  - name: lab
    api: { server: &server https://lab.example.com:6443, tokenSecret: LAB }
  - name: &name dev
    api: { server: ${server}, tokenSecret: DEV }
argocd:
  - { name: lab-own, cluster: lab, namespaces: &namespaces [ argocd ], controllerNamespace: &home argocd }
  - { name: dev-own, cluster: ${cluster}${argocd} }
`;
}

describe('[C-13] [N-29] aliases in poolkeeper.yaml', () => {
  const dev = { name: 'dev', server: 'https://dev.example.com:6443', ca: undefined, skipTLSVerify: false };
  const own = { home: 'argocd', namespaces: ['argocd'] };

  test.each([
    ['namespaces', { argocd: ', namespaces: *namespaces' }],
    ['controllerNamespace', { argocd: ', namespaces: [shop], controllerNamespace: *home' }],
    ['cluster', { cluster: '*name', argocd: ', namespaces: [argocd]' }],
  ])(
    "stand for what they name: Argo CD's own namespace is known by %s, and no second Argo CD is added",
    async (_, parts) => {
      const file = join(await temporary(), 'poolkeeper.yaml');
      await writeFile(file, twoClusters(parts));

      const homes = await argocdHomes(file, 'dev');
      await addEntry(file, { ...dev, tokenSecret: 'DEV', argocd: own });

      expect(homes).toEqual(['argocd']);
      expect((await readFile(file, 'utf8')).match(/cluster: /g)).toHaveLength(2);
    },
  );

  test('stand for what they name: another cluster has its token there, or is the one of this address', async () => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    await writeFile(
      file,
      'clusters:\n  - { name: &at DEV, api: { server: https://dev.example.com:6443, tokenSecret: *at } }\n',
    );

    const twin = await requireRoomForEntry(file, { ...dev, tokenSecret: 'DEV', argocd: undefined }).catch(String);
    const context = { context: 'admin', server: dev.server };
    const other = await requireSameCluster({ config: file, name: 'dev' }, context).catch(String);

    expect(twin).toContain('cluster DEV has its token in DEV');
    expect(other).toContain(`which ${file} has as cluster DEV, not dev`);
  });

  test('go with the entry that has them, and nothing else changes', async () => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    await writeFile(file, twoClusters({ cluster: '*name', argocd: ', namespaces: *namespaces' }));

    const done = await removeEntry(file, 'dev');

    expect(done).toBe('removed');
    expect(await readFile(file, 'utf8')).toBe(
      twoClusters({})
        .split('\n')
        .filter((line) => !/dev/i.test(line))
        .join('\n'),
    );
  });

  test.each([
    [
      'removed',
      { argocd: ', namespaces: *namespaces' },
      'argocd[1].namespaces is the alias *namespaces, whose anchor (&) would go',
    ],
    [
      'removed',
      { server: '*server', argocd: ', namespaces: [argocd]' },
      'clusters[1].api.server is the alias *server, whose anchor (&) would go',
    ],
    [
      'connected again',
      { server: '*server', argocd: ', namespaces: [argocd]' },
      'clusters[1].api.server is the alias *server, and what it names would change',
    ],
  ])('are named where what they name would go, as lab is %s, and nothing is written', async (how, parts, said) => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    const before = twoClusters(parts);
    await writeFile(file, before);

    const done =
      how === 'removed'
        ? plannedRemoval(file, 'lab')
        : requireRoomForEntry(file, { ...entry, name: 'lab', tokenSecret: 'LAB' });

    await expect(done).rejects.toThrow(Misconfigured);
    await expect(done).rejects.toThrow(`${file}: ${said}: write it out there first`);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test.each([
    ['that name nothing', 'clusters: []\nargocd: *none\n', ':2:9 (the file): this alias (*) names no anchor'],
    ['that are a whole list', 'defaults: &none []\nargocd: *none\n', ': argocd is an alias (*), and what it names'],
  ])('%s are refused', async (_, text, said) => {
    const file = join(await temporary(), 'poolkeeper.yaml');
    await writeFile(file, text);

    const room = requireRoomForEntry(file, entry);

    await expect(room).rejects.toThrow(Misconfigured);
    await expect(room).rejects.toThrow(`${file}${said}`);
  });
});

describe('[C-13] the token of a cluster', () => {
  test('[N-29] says which installation it is of, in the same words on every machine', () => {
    const of = (secret: string | undefined, folder = '.poolkeeper') =>
      tokenStore({ name: 'prod-eu', secret, folder }).installation;

    expect([of('poolkeeper/prod/prod-eu/token'), of('poolkeeper/prod/prod/token')]).toEqual([
      'stage prod',
      'stage prod',
    ]);
    expect([of('bank/prod-eu'), of('poolkeeper/a/b/prod-eu/token')]).toEqual([
      'secret bank/prod-eu',
      'secret poolkeeper/a/b/prod-eu/token',
    ]);
    const folders = ['.poolkeeper', './.poolkeeper/', '/home/ann/bank/.poolkeeper', 'tokens/prod'];
    expect(folders.map((folder) => of(undefined, folder))).toEqual([
      ...Array.from({ length: 3 }, () => 'token folder .poolkeeper'),
      'token folder prod',
    ]);
  });

  test('in a file is for its user alone, also when an older file was open to others', async () => {
    const folder = await temporary();
    await writeFile(join(folder, 'prod.token'), 'old', { mode: 0o644 });
    const store = tokenStore({ name: 'prod', secret: undefined, folder });

    await store.write('new');
    const mode = (await stat(join(folder, 'prod.token'))).mode & 0o777;

    expect(mode).toBe(0o600);
    expect(await store.remove()).toBe(true);
    expect(await store.remove()).toBe(false);
  });

  test('[N-29] in a file is exported by a line that a shell takes as one command, whatever the folder is called', async () => {
    const store = tokenStore({
      name: 'prod',
      secret: undefined,
      folder: join(await temporary(), 'my $(echo "x") tokens'),
    });
    await store.write('a-token');

    const { stdout } = await promisify(execFile)('sh', ['-c', `${store.afterwards} && printenv POOLKEEPER_TOKEN_PROD`]);

    expect(stdout).toBe('a-token\n');
  });

  test('in Secrets Manager is made where there is none, and is a new version where there is one', async () => {
    const { client, asked } = await secretsManagerStub();
    const keeper = secretKeeper(client);

    await keeper.write('poolkeeper/prod/token', 'first');
    await keeper.write('poolkeeper/prod/token', 'second');
    const removed = [await keeper.remove('poolkeeper/prod/token'), await keeper.remove('poolkeeper/prod/token')];

    expect(asked).toEqual(['PutSecretValue', 'CreateSecret', 'PutSecretValue', 'DeleteSecret', 'DeleteSecret']);
    expect(removed).toEqual([true, false]);
  });

  test('of a cluster that was disconnected days ago and is connected again is taken back', async () => {
    const { client, asked } = await secretsManagerStub();
    const keeper = secretKeeper(client);
    await keeper.write('poolkeeper/prod/token', 'first');
    await keeper.remove('poolkeeper/prod/token');
    asked.length = 0;

    await keeper.write('poolkeeper/prod/token', 'second');

    expect(asked).toEqual(['PutSecretValue', 'RestoreSecret', 'PutSecretValue']);
    expect(await keeper.remove('poolkeeper/prod/token')).toBe(true);
  });

  test('is written by the service only where the secret exists, and a failure does not say the value', async () => {
    const { client, asked } = await secretsManagerStub();

    const failure = await secretWriter(client).write('poolkeeper/prod/token', 'v4lue').catch(String);

    expect(asked).toEqual(['PutSecretValue']);
    expect(failure).toContain('ResourceNotFoundException');
    expect(failure).not.toContain('v4lue');
  });
});

type Kept = 'there' | 'marked for deletion';

/** What is marked for deletion can only be restored until then. */
function faultOf(operation: string, kept: Kept | undefined): string | undefined {
  if (operation === 'CreateSecret') return undefined;
  if (kept === undefined) return 'ResourceNotFoundException';
  return kept === 'there' || operation === 'RestoreSecret' ? undefined : 'InvalidRequestException';
}

/** Secrets Manager's JSON protocol on loopback, as far as it is spoken here. */
async function secretsManagerStub() {
  const secrets = new Map<string, Kept>();
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).replace('secretsmanager.', '');
    const { SecretId, Name } = JSON.parse(await text(request));
    asked.push(operation);
    const fault = faultOf(operation, secrets.get(SecretId));
    if (operation === 'CreateSecret') secrets.set(Name, 'there');
    if (operation === 'RestoreSecret') secrets.set(SecretId, 'there');
    if (operation === 'DeleteSecret' && fault === undefined) secrets.set(SecretId, 'marked for deletion');
    const status = fault === undefined ? 200 : 400;
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1', connection: 'close' });
    response.end(JSON.stringify(fault === undefined ? {} : { __type: fault, message: 'not possible' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new SecretsManagerClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'stub', secretAccessKey: 'stub' },
    maxAttempts: 1,
  });
  onTestFinished(async () => {
    client.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { client, asked };
}
