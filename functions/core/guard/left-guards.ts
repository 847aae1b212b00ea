import type { AppProject } from './app-project.ts';
import { applicationOfGuard, type Guard } from './guard-record.ts';
import { guardsOf } from './open-guards.ts';
import type { ProjectPlan } from './plan-project.ts';
import { windowsAfter } from './sync-windows.ts';

/** Takes guards of a cluster that is not configured any more out of one AppProject. A window that another guard of its
 *  name needs stays as it is. */
export function withoutGuards(project: AppProject, left: readonly Guard[]): NonNullable<ProjectPlan['write']> {
  const guards = guardsOf([project]).filter((guard) => !left.includes(guard));
  const needed = new Set(guards.map((guard) => applicationOfGuard(guard).name));
  const freed = left.map((guard) => applicationOfGuard(guard).name).filter((name) => !needed.has(name));
  return { guards, windows: windowsAfter(project.windows, { closed: new Set(), open: new Set(freed) }) };
}
