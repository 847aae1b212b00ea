import type { MachineConfigContent } from '../../functions/core/machine-config/machine-config.ts';
import type { ClusterCircumstances } from '../../functions/core/machine-config/render-sources.ts';
import type { ImageBuild, ImageConfig } from '../../functions/core/openshift/image-build.ts';
import type { PoolChooser } from '../../functions/core/openshift/pool-chooser.ts';
import { poolSelects } from '../../functions/core/openshift/selector.ts';
import { seen } from '../../functions/core/text/observed.ts';
import type { Renderings } from '../../functions/ports/cluster.ts';
import { createFaults, type Faults } from './faults.ts';

/** MachineConfigs with their content, and what else a cluster renders by, in memory. */
export interface FakeRenderings extends Renderings {
  put(...configs: readonly MachineConfigContent[]): void;
  remove(name: string): void;
  putChooser(...choosers: readonly PoolChooser[]): void;
  /** In place of one with its name. */
  putImageConfig(config: ImageConfig): void;
  removeImageConfig(name: string): void;
  /** In place of one with its name. */
  putImageBuild(build: ImageBuild): void;
  /** At first: no policy is known. */
  setCircumstances(change: Partial<ClusterCircumstances>): void;
}

export function fakeRenderings(options: { readonly faults?: Faults } = {}): FakeRenderings {
  const { faults = createFaults() } = options;
  const configs = new Map<string, MachineConfigContent>();
  const choosers: PoolChooser[] = [];
  const imageConfigs = new Map<string, ImageConfig>();
  const imageBuilds = new Map<string, ImageBuild>();
  let circumstances: ClusterCircumstances = { policy: undefined, isSingleNode: false, layeredPools: [] };
  return {
    put: (...all) => {
      for (const config of all) configs.set(config.name, config);
    },
    remove: (name) => {
      configs.delete(name);
    },
    putChooser: (...all) => {
      choosers.push(...all);
    },
    putImageConfig: (config) => {
      imageConfigs.set(config.name, config);
    },
    removeImageConfig: (name) => {
      imageConfigs.delete(name);
    },
    putImageBuild: (build) => {
      imageBuilds.set(build.name, build);
    },
    setCircumstances: (change) => {
      circumstances = { ...circumstances, ...change };
    },
    readRenderSources: (pools) =>
      faults.run('renderings.sources', () => ({
        ...circumstances,
        choosers: seen(choosers),
        machineConfigs: [...configs.values()].filter(({ labels }) =>
          pools.some(({ machineConfigSelector }) => poolSelects(machineConfigSelector, labels)),
        ),
      })),
    readContents: (names) => faults.run('renderings.contents', () => names.flatMap((name) => configs.get(name) ?? [])),
    readCircumstances: () => faults.run('renderings.circumstances', () => circumstances),
    readImages: () =>
      faults.run('renderings.images', () => ({
        configs: [...imageConfigs.values()],
        builds: [...imageBuilds.values()],
        unreadable: [],
        isServed: true,
      })),
    readChoosers: (kinds) =>
      faults.run('renderings.choosers', () => choosers.filter(({ kind }) => kinds.includes(kind))),
  };
}
