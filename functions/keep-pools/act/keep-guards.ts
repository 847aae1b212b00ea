import { type Application, isSyncing, type ObservedApplication, refOf } from '../../core/argocd/application.ts';
import { clusterOf } from '../../core/argocd/destination.ts';
import type { AppProject } from '../../core/guard/app-project.ts';
import { applicationOfGuard, holdOfGuard } from '../../core/guard/guard-record.ts';
import { guardSubject } from '../../core/guard/guard-subject.ts';
import { guardsOf, unreadableRecord } from '../../core/guard/open-guards.ts';
import { type GuardFacts, type ProjectPlan, planProject } from '../../core/guard/plan-project.ts';
import { isRefreshDue } from '../../core/guard/refresh.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { latest } from '../../core/text/instant.ts';
import { counted, listed } from '../../core/text/phrases.ts';
import type { WrittenPass } from '../pass-state.ts';
import { readApplication } from '../read/read-applications.ts';
import { type ObservedProjects, readProjects, usesGuards } from '../read/read-projects.ts';
import { performPorts } from './decide-and-write.ts';
import type { KeptGuards } from './kept-guards.ts';
import { perform } from './perform.ts';
import type { WrittenProject } from './write-project.ts';

const nothingKept: KeptGuards = { changes: [], waiting: [], openedAt: undefined, failures: [], exist: false };

/** Opens and closes the guards of this cluster, once its pools are written: a push is not slowed by it.
 *  Level-triggered: what fails is done by the next pass. */
export async function keepGuards(pass: WrittenPass): Promise<KeptGuards> {
  const { observation, ports, scope } = pass;
  if (!usesGuards(scope.cluster, observation.checkpoint)) return nothingKept;
  const read = await readProjects(scope.cluster.name, ports);
  const facts = await readFacts(pass, read.projects);
  const written = await writeAll(pass, read.projects, facts);
  const checked = await closeAgain(pass, written, withoutFailed(written, facts));
  await askForRefresh(pass, checked);
  return keptOf(read, [...written, ...checked.filter((each) => !written.includes(each))], checked);
}

/** What the guards are decided from. An Application whose guard is open is read once more: its sync may have begun. */
async function readFacts(pass: WrittenPass, projects: readonly AppProject[]): Promise<GuardFacts> {
  const { snapshot, performed, ports, scope } = pass;
  const cluster = scope.cluster.name;
  const open = projects.flatMap(({ argocd, record }) =>
    record.kind === 'unreadable'
      ? []
      : record.guards
          .filter((guard) => guard.cluster === cluster && guard.open !== undefined)
          .map((guard) => ({ argocd, ...applicationOfGuard(guard) })),
  );
  const isReread = new Set(open.map(syncHoldId));
  const known = snapshot.applications.filter((observed) => !isReread.has(syncHoldId(refOf(observed))));
  const reread = await Promise.all(open.map((ref) => readApplication(ref, ports)));
  const all = [...known, ...reread, ...pass.observation.guardedElsewhere];
  const here = all.filter((observed) => isHere(observed, pass));
  const pools = performed.map(({ pool }) => pool);
  return {
    cluster,
    subjects: here.flatMap((observed) =>
      observed.kind === 'seen' ? [guardSubject(observed.application, { ...snapshot, pools })] : [],
    ),
    gone: new Set(all.filter((observed) => isGone(observed, pass)).map((each) => syncHoldId(refOf(each)))),
    pools,
    expectSyncWithinSeconds: scope.cluster.policy.expectSyncWithinSeconds,
    now: ports.clock(),
  };
}

function isHere(observed: ObservedApplication, { ports, scope }: WrittenPass): boolean {
  if (observed.kind !== 'seen') return false;
  const settings = ports.configuration.argocd.find(({ name }) => name === observed.application.argocd);
  return settings !== undefined && clusterOf(observed.application, settings) === scope.cluster.name;
}

/** It does not exist, or deploys to another cluster now: its guard there has been written, or will be. */
function isGone(observed: ObservedApplication, pass: WrittenPass): boolean {
  if (observed.kind === 'gone') return true;
  return observed.kind === 'seen' && !isHere(observed, pass) && !isSyncing(observed.application);
}

/** Projects that get a guard first: an Application that has moved is guarded there before its old guard goes. */
async function writeAll(
  pass: WrittenPass,
  projects: readonly AppProject[],
  facts: GuardFacts,
): Promise<readonly WrittenProject[]> {
  const plans = projects.map((project) => planProject(project, facts));
  const frees = ({ changes }: ProjectPlan) => changes.some(({ did }) => did === 'freed');
  const first = await writePlans(
    pass,
    plans.filter((plan) => !frees(plan)),
    facts,
  );
  const settled = withoutFailed(first, facts);
  const second = plans.filter(frees).map(({ project }) => planProject(project, settled));
  return [...first, ...(await writePlans(pass, second, settled))];
}

/** An Application is not freed before it is guarded where it has moved to; the others of its old project do not wait
 *  for that. */
function withoutFailed(written: readonly WrittenProject[], facts: GuardFacts): GuardFacts {
  const failed = written.flatMap(({ plan, failure }) => (failure === undefined ? [] : [plan.project]));
  const isOf = ({ argocd, project = 'default' }: Application) =>
    failed.some((each) => each.argocd === argocd && each.name === project);
  return { ...facts, subjects: facts.subjects.filter(({ application }) => !isOf(application)) };
}

async function writePlans(
  pass: WrittenPass,
  plans: readonly ProjectPlan[],
  facts: GuardFacts,
): Promise<readonly WrittenProject[]> {
  const ports = performPorts(pass, pass.snapshot);
  const written = await Promise.all(plans.map((plan) => perform({ kind: 'project', plan, facts }, ports)));
  return written.flatMap((each) => (each.kind === 'project' ? [each] : []));
}

/** Another pass may have let a pool go while this one opened the guard of an Application that affects it. That pass
 *  reads the guards after it has read the pool without the hold, and this one the pools after it has opened: one of
 *  the two sees the other. */
async function closeAgain(
  pass: WrittenPass,
  written: readonly WrittenProject[],
  facts: GuardFacts,
): Promise<readonly WrittenProject[]> {
  return Promise.all(
    written.map(async (each) => {
      const opened = each.failure === undefined ? each.plan.changes.filter(({ did }) => did === 'opened') : [];
      if (opened.length === 0) return each;
      const names = new Set(opened.flatMap(({ guard }) => guard.pools));
      const pools = await freshPools(facts.pools, names, pass);
      const { argocd, name } = each.plan.project;
      const project = await (await pass.ports.argocd(argocd)).readProject(name);
      if (project === undefined) return each;
      const plan = planProject(project, { ...facts, pools });
      if (plan.write === undefined) return { ...each, plan: { ...each.plan, awaiting: plan.awaiting } };
      const [again] = await writePlans(pass, [plan], { ...facts, pools });
      return again ?? each;
    }),
  );
}

async function freshPools(
  pools: readonly Pool[],
  names: ReadonlySet<string>,
  { cluster }: WrittenPass,
): Promise<readonly Pool[]> {
  const read = await Promise.all(
    pools.map(async (pool) => (names.has(pool.name) ? await cluster.pools.readPool(pool.name) : pool)),
  );
  return read.filter((pool) => pool !== undefined);
}

async function askForRefresh(pass: WrittenPass, written: readonly WrittenProject[]): Promise<void> {
  const ports = performPorts(pass, pass.snapshot);
  const awaiting = written.flatMap(({ plan, failure }) => (failure === undefined ? plan.awaiting : []));
  const guards = written.flatMap(({ plan: { project, write } }) =>
    (write?.guards ?? guardsOf([project])).map((guard) => [holdOfGuard(project.argocd, guard), guard] as const),
  );
  const byHold = new Map(guards);
  const now = pass.ports.clock();
  const unasked = awaiting.filter((application) =>
    isRefreshDue(application, byHold.get(syncHoldId(application))?.open?.since, now),
  );
  await Promise.all(unasked.map((application) => perform({ kind: 'refresh', application }, ports)));
}

function keptOf(
  { projects, unreadable, failure }: ObservedProjects,
  all: readonly WrittenProject[],
  last: readonly WrittenProject[],
): KeptGuards {
  const done = all.filter((each) => each.failure === undefined);
  const guards = last.flatMap(({ plan, failure: failed }) =>
    failed === undefined && plan.write !== undefined ? plan.write.guards : guardsOf([plan.project]),
  );
  return {
    changes: done.flatMap(({ plan }) =>
      plan.changes.map((change) => ({ ...change, project: plan.project.name, version: plan.project.resourceVersion })),
    ),
    waiting: last.flatMap(({ plan }) => plan.waiting),
    openedAt: latest(last.flatMap(({ plan, failure: failed }) => (failed === undefined ? awaitedSince(plan) : []))),
    failures: [
      ...(failure === undefined ? [] : [{ project: '', why: failure }]),
      ...unreadable.map(({ name, why }) => ({ project: name, why })),
      ...projects.flatMap(({ name, record }) =>
        record.kind === 'unreadable' ? [{ project: name, why: record.why }] : [],
      ),
      ...last.flatMap(({ plan: { project, leftOut } }) =>
        leftOut.length === 0 ? [] : [{ project: project.name, why: noRoomFor(leftOut) }],
      ),
      ...all.flatMap(({ plan, failure: failed }) =>
        failed === undefined ? [] : [{ project: plan.project.name, why: failed.message }],
      ),
    ],
    exist: failure === undefined ? guards.length > 0 || unreadableRecord(projects) !== undefined : undefined,
  };
}

function noRoomFor(leftOut: readonly string[]): string {
  return `its record has no room for the guards of ${counted(leftOut.length, 'Application')}, whose syncs are not held back: ${listed(leftOut, 3)}`;
}

function awaitedSince({ project, write, awaiting }: ProjectPlan): readonly (string | undefined)[] {
  const names = new Set(awaiting.map(({ namespace, name }) => `${namespace}/${name}`));
  const guards = write?.guards ?? guardsOf([project]);
  return guards.filter(({ application }) => names.has(application)).map(({ open }) => open?.since);
}
