import { mappingAt, textAt } from '../../core/openshift/member.ts';
import { placeOf } from '../../core/sequences/own-object.ts';
import { planOf } from '../../core/sequences/plan.ts';
import type { SequenceKeepPorts } from './sequence-ports.ts';

/** An object that a configured sequence applies. */
interface ConfiguredObject {
  readonly sequence: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** Objects of this name and namespace, of whatever kind, that configured sequences have on the cluster. */
export function configuredObjects(
  cluster: string,
  found: unknown,
  { configuration }: Pick<SequenceKeepPorts, 'configuration'>,
): readonly ConfiguredObject[] {
  const metadata = mappingAt(found, 'metadata');
  return Object.entries(configuration.sequences ?? {}).flatMap(([name, sequence]) =>
    planOf(name, sequence).steps.flatMap(({ cluster: on, target }) => {
      if (on !== cluster || target.kind !== 'object') return [];
      const place = placeOf(target.manifest);
      return place.name === textAt(metadata, 'name') && place.namespace === textAt(metadata, 'namespace')
        ? [{ sequence: name, manifest: target.manifest }]
        : [];
    }),
  );
}
