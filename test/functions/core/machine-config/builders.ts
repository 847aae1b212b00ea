import {
  type MachineConfigContent,
  machineConfigOf,
} from '../../../../functions/core/machine-config/machine-config.ts';
import type { RenderingPool } from '../../../../functions/core/machine-config/render-pool.ts';
import type { RenderedPool } from './render-pool.ts';

/** What a MachineConfig of a test sets; a file is given by its text, or by its whole entry. */
export interface Saying {
  readonly role?: string;
  readonly files?: Readonly<Record<string, unknown>>;
  readonly units?: Readonly<Record<string, unknown>>;
  readonly keys?: readonly string[];
  readonly version?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export const roleKey = 'machineconfiguration.openshift.io/role';

/** A MachineConfig as the API server answers it. */
export function machineConfigObject(name: string, saying: Saying = {}): Record<string, unknown> {
  const files = Object.entries(saying.files ?? {}).map(([path, said]) => fileEntry(path, said));
  const units = Object.entries(saying.units ?? {}).map(([unit, said]) =>
    typeof said === 'string' ? { name: unit, enabled: true, contents: said } : { name: unit, ...toObject(said) },
  );
  const users = saying.keys === undefined ? [] : [{ name: 'core', sshAuthorizedKeys: saying.keys }];
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: {
      name,
      labels: saying.labels ?? { [roleKey]: saying.role ?? 'worker' },
      annotations: saying.annotations ?? {},
      resourceVersion: '1',
    },
    spec: {
      config: {
        ignition: { version: saying.version ?? '3.2.0' },
        ...(files.length > 0 ? { storage: { files } } : {}),
        ...(units.length > 0 ? { systemd: { units } } : {}),
        ...(users.length > 0 ? { passwd: { users } } : {}),
      },
      ...saying.spec,
    },
  };
}

export function machineConfig(name: string, saying: Saying = {}): MachineConfigContent {
  const config = machineConfigOf(machineConfigObject(name, saying));
  if (config === undefined) throw new Error('the builder made no MachineConfig');
  return config;
}

function fileEntry(path: string, said: unknown): unknown {
  if (typeof said !== 'string') return { path, ...toObject(said) };
  return { path, mode: 420, overwrite: true, contents: { source: dataUrl(said) } };
}

export function dataUrl(text: string): string {
  return `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`;
}

function toObject(said: unknown): object {
  return typeof said === 'object' && said !== null ? said : {};
}

/** A pool that selects one role, or a custom one that inherits another. */
export function poolOf(name: string, ...roles: readonly string[]): RenderingPool {
  return {
    name,
    machineConfigSelector: {
      matchExpressions: [{ key: roleKey, operator: 'In', values: roles.length > 0 ? roles : [name] }],
    },
  };
}

/** A predicted config in the form of the MCO's own, so that the two can be compared. */
export function specOf({ facets }: RenderedPool): Record<string, unknown> {
  const all = [...facets.values()];
  const of = (kind: string) => all.filter((facet) => facet.kind === kind).map(({ value }) => value);
  const one = (kind: string, otherwise: unknown) => of(kind)[0] ?? otherwise;
  return {
    config: {
      ignition: { version: '3.5.0' },
      storage: { files: of('file') },
      systemd: { units: of('unit') },
      passwd: { users: of('user') },
    },
    extensions: one('extensions', []),
    fips: one('fips', false),
    kernelArguments: one('kernelArguments', []),
    kernelType: one('kernelType', 'default'),
    osImageURL: one('osImageURL', ''),
  };
}
