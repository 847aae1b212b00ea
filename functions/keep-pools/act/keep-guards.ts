import type { Application } from '../../core/argocd/application.ts';
import type { AppProject } from '../../core/guard/app-project.ts';
import { idsStored } from '../../core/guard/guarded-cluster.ts';
import { type GuardFacts, type ProjectPlan, planProject } from '../../core/guard/plan-project.ts';
import { isRefreshDue } from '../../core/guard/refresh.ts';
import type { WrittenPass } from '../pass-state.ts';
import { readProjects, usesGuards } from '../read/read-projects.ts';
import { performPorts } from './decide-and-write.ts';
import { freshPools, readFacts } from './guard-facts.ts';
import { type KeptGuards, keptOf } from './kept-guards.ts';
import { perform } from './perform.ts';
import type { WrittenProject } from './write-project.ts';

const nothingKept: Omit<KeptGuards, 'ids'> = {
  changes: [],
  waiting: [],
  awaitedSince: undefined,
  failures: [],
  look: undefined,
  exist: false,
  areTakenOver: false,
};

/** Opens and closes the guards of this cluster, once its pools are written: a push is not slowed by it.
 *  Level-triggered: what fails is done by the next pass. */
export async function keepGuards(pass: WrittenPass): Promise<KeptGuards> {
  const { observation, ports, scope } = pass;
  if (!usesGuards(scope.cluster, observation.checkpoint))
    return { ...nothingKept, ids: idsStored(observation.checkpoint) };
  const read = await readProjects(scope.cluster.name, ports);
  const facts = await readFacts(pass, read.projects);
  const written = await writeAll(pass, read.projects, facts);
  const checked = await closeAgain(pass, written);
  await askForRefresh(pass, checked);
  const all = [...written, ...checked.filter((each) => !written.includes(each))];
  const sawGuarded = scope.maySweep ? 'guarded' : 'none';
  return keptOf({ read, facts, all, last: checked }, observation.swept ? 'all' : sawGuarded);
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
 *  the two sees the other. A pool that cannot be read again closes it as well. */
async function closeAgain(pass: WrittenPass, written: readonly WrittenProject[]): Promise<readonly WrittenProject[]> {
  return Promise.all(
    written.map(async (each) => {
      const opened = each.failure === undefined ? each.plan.changes.filter(({ did }) => did === 'opened') : [];
      if (opened.length === 0) return each;
      const facts = withoutFailed(written, each.facts);
      const pools = await freshPools(facts.pools, new Set(opened.flatMap(({ guard }) => guard.pools)), pass.cluster);
      const plan = planProject(each.stored, { ...facts, pools });
      if (plan.write === undefined) return { ...each, plan: { ...each.plan, awaiting: plan.awaiting } };
      const [again] = await writePlans(pass, [plan], { ...facts, pools });
      return again ?? each;
    }),
  );
}

async function askForRefresh(pass: WrittenPass, written: readonly WrittenProject[]): Promise<void> {
  const ports = performPorts(pass, pass.snapshot);
  const awaiting = written.flatMap(({ plan, failure }) => (failure === undefined ? plan.awaiting : []));
  const now = pass.ports.clock();
  const unasked = awaiting.filter(({ application, since }) => isRefreshDue(application, since, now));
  await Promise.all(unasked.map(({ application }) => perform({ kind: 'refresh', application }, ports)));
}
