import type * as z from 'zod';
import { listOf, mapping, name } from '../../../core/configuration/fields.ts';
import { Window, windowProblems } from '../../../core/configuration/window.ts';
import { isMapping } from '../problem.ts';
import { fileShape, sectionKeys } from './file-form.ts';
import { writtenKey } from './written-key.ts';

const shape = fileShape(Window);

const clusters = listOf(name(), 'must be a list of cluster names')
  .optional()
  .describe('The clusters that it is for, by name; without it, all.');

/** The windows of one cluster. */
export const WindowsFile = listOf(
  mapping(shape)
    .transform((read) => sectionKeys(Window, read))
    .superRefine(check),
  'must be a list of windows',
).optional();

/** The windows of all clusters. */
export const CommonWindowsFile = listOf(
  mapping({ ...shape, clusters }).transform(({ clusters: only, ...read }, context) => {
    const window = sectionKeys(Window, read);
    check(window, context);
    return { window, clusters: only };
  }),
  'must be a list of windows',
)
  .optional()
  .meta({ description: 'When pools may resume, on every cluster.', default: [] });

type CommonWindows = NonNullable<z.infer<typeof CommonWindowsFile>>;

/** The cluster with the windows of all clusters that are for it, before its own. */
export function withWindows(cluster: unknown, common: CommonWindows = []): unknown {
  if (!isMapping(cluster)) return cluster;
  const forIt = common.filter((each) => each.clusters?.some((only) => only === cluster['name']) ?? true);
  const own: unknown = cluster['windows'] ?? [];
  if (forIt.length === 0 || !Array.isArray(own)) return cluster;
  return { ...cluster, windows: [...forIt.map(({ window }) => window), ...own] };
}

/** Where it was written: what is deployed names neither the list nor the keys of the file. */
function check(window: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const { key, must } of windowProblems(window)) {
    context.addIssue({ code: 'custom', path: key === undefined ? [] : [writtenKey(key)], message: must });
  }
}
