import * as z from 'zod';
import { type AppProject, marksOfGit } from '../../core/guard/app-project.ts';
import { guardsAnnotation, guardsText, readGuards } from '../../core/guard/guard-record.ts';
import { isOurs, type SyncWindow } from '../../core/guard/sync-windows.ts';
import { foreignLimits, foreignName } from '../../core/text/foreign-text.ts';
import type { GuardsChange } from '../../ports/argocd.ts';
import { newestOwner } from './managed-fields.ts';
import { Metadata, understand } from './metadata.ts';

const ArgoAppProject = z.object({
  metadata: Metadata,
  spec: z
    .object({
      sourceNamespaces: z.array(z.string()).nullish(),
      // Written back as they were read, whatever fields they have.
      syncWindows: z.array(z.record(z.string(), z.unknown())).nullish(),
    })
    .nullish(),
});

/** Parses an AppProject. Throws Transient if invalid. */
export function appProjectOf(argocd: string, body: unknown): AppProject {
  const { metadata, spec } = understand(ArgoAppProject, body, 'AppProject');
  const { annotations, labels } = metadata;
  const windowsBy = newestOwner(metadata.managedFields, ['f:spec', 'f:syncWindows'])?.manager;
  return {
    argocd,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    sourceNamespaces: namespacePatterns(spec?.sourceNamespaces ?? []),
    windows: spec?.syncWindows ?? [],
    record: readGuards(annotations[guardsAnnotation]),
    ...(windowsBy === undefined ? {} : { windowsBy: foreignName(windowsBy) }),
    ...(marksOfGit.some((key) => key in annotations || key in labels) ? { isTracked: true } : {}),
  };
}

/** What is too long, or too many, may match any namespace. */
function namespacePatterns(patterns: readonly string[]): readonly string[] {
  const read = patterns.slice(0, foreignLimits.entries);
  const whole = read.map((pattern) => (pattern.length <= foreignLimits.field ? pattern : '*'));
  return read.length < patterns.length ? [...whole, '*'] : whole;
}

/** Windows and record in one patch, so that a crash leaves neither without the other. */
export function guardsPatch({ resourceVersion }: Pick<AppProject, 'resourceVersion'>, change: GuardsChange): unknown {
  const { windows, guards } = change;
  return {
    metadata: { resourceVersion, annotations: { [guardsAnnotation]: guardsText(guards) } },
    spec: { syncWindows: windows.length === 0 ? null : windows },
  };
}

/** How many windows are known as ours. */
export function withDescriptions(windows: readonly SyncWindow[]): number {
  return windows.filter(isOurs).length;
}
