import type { Warning } from '../disruption.ts';
import { ignitionMajor } from '../facet.ts';
import { isObject, objectAt, textAt } from '../json.ts';
import type { MachineConfigContent } from '../machine-config.ts';
import { line } from './line.ts';

/** Versions that a supported MCO reads. Source: the MCO's RenderDegraded message. */
const knownIgnition: readonly string[] = ['2.2', '3.0', '3.1', '3.2', '3.3', '3.4', '3.5'];

/** The version of its Ignition section. */
export function lintIgnition({ spec }: MachineConfigContent): readonly Warning[] {
  const config = spec['config'];
  if (!isObject(config) || Object.keys(config).length === 0) return [];
  const version = textAt(objectAt(config, 'ignition'), 'version');
  if (version === '' || !knownIgnition.some((known) => version.startsWith(`${known}.`)))
    return [
      {
        code: 'ignition-unknown',
        text: version === '' ? 'it has no Ignition version' : `Ignition version ${line(version)} is not supported`,
        remedy:
          'Set spec.config.ignition.version to 3.2.0, or 3.4.0 from OpenShift 4.14 on: until then the pool does not render',
      },
    ];
  if (ignitionMajor(config) !== 2) return [];
  return [
    {
      code: 'ignition-legacy',
      text: `it uses Ignition ${line(version)}, which OpenShift 4.6 and later only convert`,
      remedy:
        'Rewrite it for Ignition 3.2.0: no filesystem and no append: true on a file, overwrite: true is the default',
    },
  ];
}
