import type { Group, ValuesFile } from './group.ts';
import { hint, type Remark, trap } from './remark.ts';
import { at, isMap, isSet, mapAt } from './values.ts';
import { waveAnnotation } from './wave.ts';

/** What a later file takes away with a null. */
export function removedRemarks({ files, values }: Group): readonly Remark[] {
  const paths = ['subscriptions', 'applications'].flatMap((section) =>
    Object.keys(mapAt(values, 'clusterGroup', section)).flatMap((key) => [
      ['clusterGroup', section, key],
      ['clusterGroup', section, key, 'annotations'],
      ['clusterGroup', section, key, 'annotations', waveAnnotation],
      ['clusterGroup', section, key, 'sequenceJob'],
    ]),
  );
  return paths.flatMap((path) => {
    if (at(values, ...path) !== null) return [];
    const by = files.findLast((file) => at(file.values, ...path) === null);
    return [hint('null-removes', path.join('.'), `null${by === undefined ? '' : ` in ${by.path}`}: taken as removed`)];
  });
}

/** What an earlier file disables stays disabled when a later file gives it again without the key. */
export function stickyRemarks({ files, values }: Group): readonly Remark[] {
  return ['subscriptions', 'applications', 'extraObjects'].flatMap((section) =>
    Object.keys(mapAt(values, 'clusterGroup', section)).flatMap((key) => [
      ...sticky(files, values, [section, key]),
      ...sticky(files, values, [section, key, 'sequenceJob']),
    ]),
  );
}

function sticky(files: readonly ValuesFile[], values: Group['values'], path: readonly string[]): readonly Remark[] {
  const whole = ['clusterGroup', ...path];
  if (!isSet(at(values, ...whole, 'disabled'))) return [];
  const setBy = files.findLastIndex((file) => at(file.values, ...whole, 'disabled') !== undefined);
  const again = files
    .slice(setBy + 1)
    .find((file) => isSet(at(file.values, ...whole)) && isMap(at(file.values, ...whole)));
  const by = files[setBy];
  if (again === undefined || by === undefined) return [];
  const says = `${by.path} disables it, and ${again.path} gives it again without the key: it stays disabled; write disabled: false`;
  return [trap('disabled-sticks', whole.join('.'), says)];
}
