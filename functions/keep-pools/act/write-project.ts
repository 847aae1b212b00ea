import type { AppProject } from '../../core/guard/app-project.ts';
import { type GuardFacts, type ProjectPlan, planProject } from '../../core/guard/plan-project.ts';
import { Transient } from '../../core/text/errors.ts';
import { fingerprint } from '../../core/text/fingerprint.ts';
import type { PerformPorts } from './perform-ports.ts';

/** What became of the plan for one AppProject. */
export interface WrittenProject {
  readonly kind: 'project';
  /** As it was carried out: `plan.project` is the project before. */
  readonly plan: ProjectPlan;
  /** What the plan was made from. */
  readonly facts: GuardFacts;
  /** The project after it, as far as it is known. */
  readonly stored: AppProject;
  /** Why nothing was written: it waits for the next pass. */
  readonly failure: Transient | undefined;
}

/** Write attempts after conflicts with other writers, of which a fleet with one AppProject has as many as clusters, all
 *  at one push: seven seconds at most, in which some sixty of them are done. */
const attempts = 12;
/** Milliseconds. Waits are spread over twice as long after each attempt, up to the longest. */
const [firstWait, longestWait] = [100, 800];

/** Carries out the plan: at most one patch of windows and record. After a resourceVersion conflict everything is read
 *  again that what is to change rests on: whoever was faster may have seen more. */
export async function writeProject(
  first: ProjectPlan,
  known: GuardFacts,
  { argocd, logger, wait, factsAgain }: Pick<PerformPorts, 'argocd' | 'logger' | 'wait' | 'factsAgain'>,
): Promise<WrittenProject> {
  const { name, argocd: instance } = first.project;
  let [plan, facts] = [first, known];
  try {
    const projects = await argocd(instance);
    for (let attempt = 1; ; attempt += 1) {
      const { write, project, changes } = plan;
      if (write === undefined) return { kind: 'project', plan, facts, stored: project, failure: undefined };
      try {
        const stored = await projects.writeGuards(project, write);
        logger.info('AppProject patched', {
          project: name,
          changes: changes.map(({ did, guard }) => `${did} ${guard.application}`),
        });
        return { kind: 'project', plan, facts, stored, failure: undefined };
      } catch (cause) {
        if (!(cause instanceof Transient) || cause.kind !== 'conflict' || attempt === attempts) throw cause;
        await wait(waitAfter(attempt, `${facts.cluster}/${project.resourceVersion}`));
        const fresh = await projects.readProject(name);
        if (fresh === undefined) {
          const nothing = { ...plan, write: undefined, changes: [] };
          return { kind: 'project', plan: nothing, facts, stored: project, failure: undefined };
        }
        facts = await factsAgain(planProject(fresh, facts), facts);
        plan = planProject(fresh, facts);
      }
    }
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('an AppProject could not be written', { project: name, why: cause.message });
    return { kind: 'project', plan, facts, stored: plan.project, failure: cause };
  }
}

/** Each cluster waits for another part of the time, and so do all after each write of one of them. */
function waitAfter(attempt: number, whose: string): number {
  const part = Number.parseInt(fingerprint(whose).slice(0, 6), 16) / 0xff_ff_ff;
  return Math.round(part * Math.min(firstWait * 2 ** (attempt - 1), longestWait));
}
