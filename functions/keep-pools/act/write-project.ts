import { type GuardFacts, type ProjectPlan, planProject } from '../../core/guard/plan-project.ts';
import { Transient } from '../../core/text/errors.ts';
import type { PerformPorts } from './perform-ports.ts';

/** What became of the plan for one AppProject. */
export interface WrittenProject {
  readonly kind: 'project';
  /** As it was carried out: `plan.project` is the project before. */
  readonly plan: ProjectPlan;
  /** Why nothing was written: it waits for the next pass. */
  readonly failure: Transient | undefined;
}

/** Write attempts after conflicts with other writers. */
const attempts = 5;

/** Carries out the plan: at most one patch of windows and record. After a resourceVersion conflict it reads and plans
 *  again. */
export async function writeProject(
  first: ProjectPlan,
  facts: GuardFacts,
  { argocd, logger }: Pick<PerformPorts, 'argocd' | 'logger'>,
): Promise<WrittenProject> {
  const { name, argocd: instance } = first.project;
  let plan = first;
  try {
    const projects = await argocd(instance);
    for (let attempt = 1; ; attempt += 1) {
      const { write, project, changes } = plan;
      if (write === undefined) return { kind: 'project', plan, failure: undefined };
      try {
        await projects.writeGuards(project, write);
        logger.info('AppProject patched', {
          project: name,
          changes: changes.map(({ did, guard }) => `${did} ${guard.application}`),
        });
        return { kind: 'project', plan, failure: undefined };
      } catch (cause) {
        if (!(cause instanceof Transient) || cause.kind !== 'conflict' || attempt === attempts) throw cause;
        const fresh = await projects.readProject(name);
        if (fresh === undefined)
          return { kind: 'project', plan: { ...plan, write: undefined, changes: [] }, failure: undefined };
        plan = planProject(fresh, facts);
      }
    }
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('an AppProject could not be written', { project: name, why: cause.message });
    return { kind: 'project', plan, failure: cause };
  }
}
