import * as z from 'zod';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import { isUnserved } from '../../functions/adapters/kubernetes/refusal.ts';
import { isPoolkeepers } from '../../functions/core/guard/sync-windows.ts';
import { fieldManager } from '../../functions/core/openshift/hold.ts';
import { keptPausedText } from '../../functions/core/openshift/kept-paused.ts';
import type { Pool } from '../../functions/core/openshift/pool.ts';
import { holdsOfPeople } from '../../functions/core/openshift/pool-record.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { type KubeObject, ourLabels } from '../manifests/kube-object.ts';
import { pauseFirstObjects } from '../manifests/pause-first.ts';
import { hasOurLabels, removeObjects } from './apply-objects.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { removeEntry, requireSameCluster } from './configuration-entry.ts';
import { secretName } from './connect.ts';
import { lookAtCluster } from './look-at-cluster.ts';
import { objectName, objectPath } from './object-path.ts';
import { isBinding, objectsToRemove } from './objects-to-remove.ts';
import { pickCluster, whoAmI } from './pick-cluster.ts';
import { releaseHealthChecks } from './release-health-checks.ts';
import { sectionLeftovers } from './section-leftovers.ts';
import { tokenStore } from './token-store.ts';
import { writeByHand } from './write-pool.ts';

export interface DisconnectWishes {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly name: string;
  readonly 'dry-run': boolean;
  readonly stage?: string | undefined;
  readonly secret?: string | undefined;
  readonly 'token-dir': string;
  readonly config?: string | undefined;
  readonly namespace: string;
}
/** Removes what `connect` created, or prints it if it is a dry run. Throws Misconfigured and Transient. */
export async function disconnectCluster(wishes: DisconnectWishes, surroundings: Surroundings): Promise<ExitStatus> {
  const { connection, kubeconfig } = await pickCluster(wishes, surroundings);
  try {
    await requireSameCluster(wishes, kubeconfig);
    const observed = await lookAtCluster(connection, kubeconfig.server);
    const sections = await sectionLeftovers(connection.client, wishes.namespace);
    const objects = [
      ...(await pauseFirstOf(connection, wishes.namespace)),
      ...sections.objects,
      ...objectsToRemove(wishes.namespace, observed.argocd?.namespaces ?? []),
    ];
    const projects = await guardedProjects(connection);
    const pools = await heldPools(connection);
    const unread = [...pools.unread, ...projects.unread];
    if (wishes['dry-run']) {
      const guards = projects.guarding.map(({ said }) => `open    guards of AppProject ${said}`);
      const checks = await releaseHealthChecks(connection.healthChecks, true);
      const own = await ownOnly(connection, objects, surroundings.out);
      surroundings.out(
        await planText(connection, {
          objects: [...objects.filter(isBinding), ...own],
          held: pools.held,
          writes: [...guards, ...checks],
          now: surroundings.now(),
        }),
      );
    } else await takeAway(connection, { objects, ...wishes }, surroundings);
    const stays = [...unread, ...sections.stays];
    for (const each of stays) surroundings.note(`${each}\n`);
    if (!wishes['dry-run'] && stays.length === 0)
      surroundings.out(`Nothing of Poolkeeper is left in ${wishes.name}.\n`);
    return unread.length > 0 ? 1 : 0;
  } finally {
    await connection.close();
  }
}

const Bindings = z.array(
  z.object({ metadata: z.object({ name: z.string() }), spec: z.object({ policyName: z.string() }) }),
);

/** The admission policy and all its bindings: without Poolkeeper nobody would pause for it. */
async function pauseFirstOf({ client }: ClusterConnection, namespace: string): Promise<readonly KubeObject[]> {
  const [policy] = pauseFirstObjects({ namespace, pools: [], except: [] });
  if (policy === undefined) return [];
  const { apiVersion, metadata } = policy;
  if ((await client.get(objectPath(policy), { mayBeUnserved: true })) === undefined) return [];
  const all = Bindings.parse(
    await client.list('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', { pageSize: 100 }),
  );
  const bound = all.filter(({ spec }) => spec.policyName === metadata.name);
  return [
    policy,
    ...bound.map(({ metadata: { name } }) => ({
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
    })),
  ];
}

async function planText(
  connection: ClusterConnection,
  {
    objects,
    held,
    writes,
    now,
  }: {
    readonly objects: readonly KubeObject[];
    readonly held: readonly Pool[];
    readonly writes: readonly string[];
    readonly now: Date;
  },
) {
  const found = await Promise.all(
    objects.map(async (object) =>
      (await connection.client.get(objectPath(object), { mayBeUnserved: true })) === undefined ? [] : [object],
    ),
  );
  const lines = [
    ...writes.map((each) => `  ${each}`),
    ...held.map((pool) => `  ${isOurs(pool) ? 'resume' : 'clean'}  pool ${pool.name}${heldByPeople(pool, now)}`),
    ...found.flat().map((object) => `  delete  ${objectName(object)}`),
  ];
  return `${lines.length === 0 ? '  nothing of Poolkeeper found in this cluster' : lines.join('\n')}\n\nDry run: nothing was changed.\n`;
}

/** What people wanted of the pool, and ends with its record. */
function heldByPeople(pool: Pool, now: Date): string {
  const { record } = pool;
  const holds = holdsOfPeople(record.kind === 'record' ? record.record : undefined, now);
  const kept = keptPausedText(pool);
  const said = holds.map(({ kind, who, until }) => {
    const end = `${until.slice(0, 16)}Z`;
    return kind === 'freeze' ? `${who} has frozen until ${end}` : `${who} holds until ${end}`;
  });
  const more = said.length > 3 ? [`${said.length - 3} more`] : [];
  const all = [...said.slice(0, 3), ...more, ...(kept === '' ? [] : [`${kept} keeps paused`])];
  return all.length === 0 ? '' : `, which ${all.join(' and ')}`;
}

async function heldPools({ pools }: ClusterConnection) {
  const { items, unreadable } = await pools.listPools();
  return {
    held: items.filter((pool) => pool.record.kind !== 'none' || isOurs(pool)),
    unread: unreadable.map(({ name, why }) => `pool ${name} cannot be read, and stays paused if it is: ${why}`),
  };
}

/** Where no record says whose pause it is, our field manager does. */
function isOurs({ paused, pausedBy, record }: Pool): boolean {
  if (!paused) return false;
  return record.kind === 'record' ? record.record.pause === 'ours' : pausedBy?.manager === fieldManager;
}

interface Taking extends DisconnectWishes {
  readonly objects: readonly KubeObject[];
}

async function takeAway(connection: ClusterConnection, taking: Taking, surroundings: Surroundings): Promise<void> {
  const { objects, name, config } = taking;
  const { out } = surroundings;
  const bindings = await removeObjects(connection.client, objects.filter(isBinding));
  // From now on Poolkeeper adds nothing more: what it did until now is found.
  for (const { said, open } of (await guardedProjects(connection)).guarding) {
    await open();
    out(`  guards of AppProject ${said} are open\n`);
  }
  for (const said of await releaseHealthChecks(connection.healthChecks)) out(`  ${said}\n`);
  for (const pool of (await heldPools(connection)).held) out(`  ${await letGo(connection, pool.name, surroundings)}\n`);
  const others = await removeObjects(connection.client, await ownOnly(connection, objects, out));
  for (const object of [...bindings, ...others]) out(`  deleted ${objectName(object)}\n`);
  const secret = secretName(name, taking);
  const store = tokenStore({ name, secret, folder: taking['token-dir'] });
  if (await store.remove()) out(`  deleted ${store.where}\n`);
  if (config !== undefined) out(entryText(config, name, await removeEntry(config, name)));
}

function entryText(file: string, name: string, done: Awaited<ReturnType<typeof removeEntry>>): string {
  switch (done) {
    case 'removed':
      return `  removed ${name} from ${file}\n`;
    case 'only':
      return `  ${name} is the only cluster of ${file}: its entry stays until after \`cdk destroy\`, which reads the file\n`;
    case 'absent':
      return '';
    default:
      return done satisfies never;
  }
}

interface GuardedProject {
  /** Its name; with its namespace where several have AppProjects. */
  readonly said: string;
  /** Takes our windows, of guards and of sequences, and our record out of it. */
  readonly open: () => Promise<unknown>;
}

/** The AppProjects of every Argo CD in the cluster in which something of ours stands, so that nothing waits for
 *  Poolkeeper any more. Which Argo CD was guarded is in no file that is here for certain. */
async function guardedProjects(connection: ClusterConnection) {
  const homes = await homesOfProjects(connection);
  const found = await Promise.all(
    homes.map(async (home) => {
      const argocd = connection.argocd({ name: home, namespaces: [home], controllerNamespace: home });
      const { items, unreadable } = await argocd.listProjects();
      const saidOf = (name: string) => (homes.length > 1 ? `${home}/${name}` : name);
      const guarding = items.filter(
        ({ windows, record }) =>
          windows.some(isPoolkeepers) || record.kind === 'unreadable' || record.guards.length > 0,
      );
      return {
        guarding: guarding.map((project): GuardedProject => {
          const windows = project.windows.filter((each) => !isPoolkeepers(each));
          return { said: saidOf(project.name), open: () => argocd.writeGuards(project, { windows, guards: [] }) };
        }),
        unread: unreadable.map(
          ({ name, why }) => `AppProject ${saidOf(name)} cannot be read, and its guards stay: ${why}`,
        ),
      };
    }),
  );
  return { guarding: found.flatMap((each) => each.guarding), unread: found.flatMap((each) => each.unread) };
}

const Projects = z.array(z.object({ metadata: z.object({ namespace: z.string() }) }));

async function homesOfProjects({ client }: ClusterConnection): Promise<readonly string[]> {
  const path = '/apis/argoproj.io/v1alpha1/appprojects';
  const listing = client.list(path, { pageSize: 250, form: 'metadata' }).catch((cause: unknown) => {
    if (cause instanceof Transient && isUnserved(cause)) return [];
    throw cause;
  });
  return [...new Set(Projects.parse(await listing).map(({ metadata }) => metadata.namespace))].toSorted();
}

/** Removes the record, whatever is in it, and the pause if it is ours. */
async function letGo(connection: ClusterConnection, name: string, surroundings: Surroundings): Promise<string> {
  const who = await whoAmI(connection, surroundings);
  const done = await writeByHand(connection.pools, {
    pool: name,
    decide: (pool) => {
      const ours = isOurs(pool);
      const by = pool.pausedBy?.manager ?? 'somebody';
      const stays = pool.paused ? `is no longer held; it stays paused by ${by}` : 'is no longer held';
      return {
        paused: ours ? false : undefined,
        record: null,
        said: `${ours ? 'is resumed' : stays}${heldByPeople(pool, surroundings.now())}`,
      };
    },
    event: () => ({
      reason: 'PoolkeeperDisconnected',
      message: `${who} disconnected the cluster from Poolkeeper`,
      type: 'Normal',
      at: surroundings.now(),
    }),
  });
  return `pool ${name} ${done.said}`;
}

const Pods = z.array(z.object({ metadata: z.object({ name: z.string() }) }));

/** Without the namespace where somebody else created it, or runs pods in it: those who connected with an earlier
 *  version, or applied printed manifests, have put our labels on whatever namespace they named. */
async function ownOnly(
  { client }: ClusterConnection,
  objects: readonly KubeObject[],
  out: Surroundings['out'],
): Promise<readonly KubeObject[]> {
  const rest = objects.filter((object) => !isBinding(object));
  const home = rest.find(({ kind }) => kind === 'Namespace');
  if (home === undefined) return rest;
  const others = rest.filter((object) => object !== home);
  if (!hasOurLabels(await client.get(objectPath(home)))) return others;
  const labelSelector = Object.entries(ourLabels)
    .map(([key, value]) => `${key}!=${value}`)
    .join(',');
  const query = { labelSelector, fieldSelector: 'status.phase=Running' };
  const pods = Pods.parse(await client.list(`${objectPath(home)}/pods`, { query, pageSize: 100 }));
  if (pods.length === 0) return rest;
  out(
    `  kept namespace ${home.metadata.name}, in which others run ${listed(
      pods.map(({ metadata }) => metadata.name),
      3,
    )}\n`,
  );
  return others;
}
