import * as z from 'zod';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { type KubeObject, ourLabels } from '../manifests/kube-object.ts';
import { pauseFirstObjects } from '../manifests/pause-first.ts';
import { accountsElsewhere } from './accounts-elsewhere.ts';
import { hasOurLabels, removeObjects } from './apply-objects.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { removeEntry, requireSameCluster } from './configuration-entry.ts';
import { secretName } from './connect.ts';
import { heldPools, release, releaseText } from './disconnect-pools.ts';
import { guardedProjects } from './disconnect-projects.ts';
import { lookAtCluster } from './look-at-cluster.ts';
import { objectName, objectPath } from './object-path.ts';
import { isBinding, objectsToRemove } from './objects-to-remove.ts';
import { pickCluster } from './pick-cluster.ts';
import { pausedHealthChecks, releaseHealthCheck } from './release-health-checks.ts';
import { sectionLeftovers } from './section-leftovers.ts';
import { tokenStore } from './token-store.ts';

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
    const elsewhere = await accountsElsewhere(connection.client, wishes.namespace);
    const observed = await lookAtCluster(connection, kubeconfig.server);
    const sections = await sectionLeftovers(connection.client, wishes.namespace);
    const objects = [
      ...(await pauseFirstOf(connection, wishes.namespace)),
      ...sections.objects,
      ...objectsToRemove(wishes.namespace, observed.argocd?.namespaces ?? []),
    ];
    const projects = await guardedProjects(connection);
    const pools = await heldPools(connection);
    const steps = oneByOne(surroundings.out);
    if (wishes['dry-run']) {
      const own = await ownOnly(connection, objects, surroundings.out);
      const checks = await pausedHealthChecks(connection.healthChecks);
      surroundings.out(
        await planText(connection, {
          objects: [...objects.filter(isBinding), ...own],
          writes: [
            ...projects.guarding.map(({ said }) => `open    guards of AppProject ${said}`),
            ...checks.map(({ name }) => `unpause MachineHealthCheck ${name}`),
            ...pools.held.map((pool) => releaseText(pool, surroundings.now())),
          ],
        }),
      );
    } else {
      await takeAway(connection, { objects, steps, ...wishes }, surroundings).catch((cause: unknown) => {
        if (!steps.hasBegun() || !(cause instanceof Transient)) throw cause;
        steps.left.push(`disconnect was broken off, and is to be repeated: ${cause.message}`);
      });
    }
    const left = [...pools.stays, ...projects.unread, ...steps.left];
    const stays = [...left, ...elsewhere, ...sections.stays];
    for (const each of stays) surroundings.note(`${each}\n`);
    if (!wishes['dry-run'] && stays.length === 0)
      surroundings.out(`Nothing of Poolkeeper is left in ${wishes.name}.\n`);
    return left.length > 0 ? 1 : 0;
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
  { objects, writes }: { readonly objects: readonly KubeObject[]; readonly writes: readonly string[] },
) {
  const found = await Promise.all(
    objects.map(async (object) =>
      (await connection.client.get(objectPath(object), { mayBeUnserved: true })) === undefined ? [] : [object],
    ),
  );
  const lines = [
    ...writes.map((each) => `  ${each}`),
    ...found.flat().map((object) => `  delete  ${objectName(object)}`),
  ];
  return `${lines.length === 0 ? '  nothing of Poolkeeper found in this cluster' : lines.join('\n')}\n\nDry run: nothing was changed.\n`;
}

interface Taking extends DisconnectWishes {
  readonly objects: readonly KubeObject[];
  readonly steps: Steps;
}

/** What is refused is left, and the rest goes on: nobody else would let go of the pools that come after it. */
async function takeAway(connection: ClusterConnection, taking: Taking, surroundings: Surroundings): Promise<void> {
  const { objects, name, config, steps } = taking;
  const { client } = connection;
  const { out } = surroundings;
  const remove = async (object: KubeObject) => {
    const [removed] = await removeObjects(client, [object]);
    return removed === undefined ? undefined : `deleted ${objectName(object)}`;
  };
  const [bindings, others] = [objects.filter(isBinding), objects.filter((object) => !isBinding(object))];
  for (const object of bindings) await steps.take(`${objectName(object)} stays`, () => remove(object));
  steps.goOn();
  // From now on Poolkeeper adds nothing more: what it did until now is found.
  await letGo(connection, steps, surroundings);
  const own = await ownOnly(connection, objects, out);
  for (const object of own) await steps.take(`${objectName(object)} stays`, () => remove(object));
  steps.left.push(...(await madeAgain(client, [...bindings, ...others.filter((object) => own.includes(object))])));
  const secret = secretName(name, taking);
  const store = tokenStore({ name, secret, folder: taking['token-dir'] });
  if (await store.remove()) out(`  deleted ${store.where}\n`);
  if (config !== undefined) out(entryText(config, name, await removeEntry(config, name)));
}

async function letGo(connection: ClusterConnection, steps: Steps, surroundings: Surroundings): Promise<void> {
  const { healthChecks } = connection;
  for (const { said, open } of (await guardedProjects(connection)).guarding)
    await steps.take(`guards of AppProject ${said} stay`, async () => {
      await open();
      return `guards of AppProject ${said} are open`;
    });
  for (const check of await pausedHealthChecks(healthChecks))
    await steps.take(`MachineHealthCheck ${check.name} stays paused`, () => releaseHealthCheck(healthChecks, check));
  for (const { name, paused } of (await heldPools(connection)).held)
    await steps.take(`pool ${name} ${paused ? 'stays paused' : 'keeps its record'}`, () =>
      release(connection, name, surroundings),
    );
}

interface Steps {
  /** Lines about what was refused. */
  readonly left: string[];
  /** @param otherwise what is so if it is refused, for people
   *  @param work what it has done, in words; undefined: there was nothing to do */
  take(otherwise: string, work: () => Promise<string | undefined>): Promise<void>;
  /** From now on nothing that is refused ends all of it. */
  goOn(): void;
  hasBegun(): boolean;
}

/** Does one thing after another. What is refused before anything was changed ends all of it. */
function oneByOne(out: Surroundings['out']): Steps {
  const left: string[] = [];
  let isBegun = false;
  return {
    left,
    hasBegun: () => isBegun,
    goOn() {
      isBegun = true;
    },
    async take(otherwise, work) {
      try {
        const said = await work();
        if (said === undefined) return;
        isBegun = true;
        out(`  ${said}\n`);
      } catch (cause) {
        if (!isBegun || !(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
        left.push(`${otherwise}: ${cause.message}`);
      }
    },
  };
}

/** Of what was deleted, what stands again: Argo CD puts back what it deploys. */
async function madeAgain(
  client: ClusterConnection['client'],
  objects: readonly KubeObject[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    objects.map(async (object) => {
      const now = Standing.safeParse(await client.get(objectPath(object), { mayBeUnserved: true }));
      const isBack = now.success && now.data.metadata.deletionTimestamp === undefined;
      return isBack ? [objectName(object)] : [];
    }),
  );
  return found.flat().map((name) => `${name} is there again: take it out of what deploys it, as Argo CD, and repeat`);
}

const Standing = z.object({ metadata: z.object({ deletionTimestamp: z.string().optional() }) });

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
