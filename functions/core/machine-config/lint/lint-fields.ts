import type { Warning } from '../disruption.ts';
import type { Facet } from '../facet.ts';
import { line } from './line.ts';
import { lintKernel, lintKernelArguments } from './lint-kernel.ts';

/** Source: MCO pkg/controller/common. */
const knownExtensions: readonly string[] = [
  'ipsec',
  'kerberos',
  'kernel-devel',
  'sandboxed-containers',
  'sysstat',
  'two-node-ha',
  'usbguard',
  'wasm',
];

/** Fields of a MachineConfig besides Ignition: OS image, kernel, extensions, FIPS. */
export function lintFields(facets: readonly Facet[]): readonly Warning[] {
  const extensions = facets.flatMap(({ kind, value }) => (kind === 'extensions' && Array.isArray(value) ? value : []));
  return facets.flatMap((facet) => lintField(facet, extensions.map(String)));
}

function lintField({ kind, value }: Facet, extensions: readonly string[]): readonly Warning[] {
  switch (kind) {
    case 'osImageURL':
    case 'baseOSExtensionsContainerImage':
      return [
        {
          code: 'os-image-override',
          text: `it sets ${kind}: its nodes leave the image of the release and no longer follow cluster updates`,
          remedy: 'Rebuild the image for each release, or use on-cluster layering (MachineOSConfig)',
        },
      ];
    case 'kernelType':
      return lintKernel(String(value), extensions);
    case 'extensions':
      return extensions
        .filter((extension) => !knownExtensions.includes(extension))
        .map((extension) => ({
          code: 'extension-unknown',
          text: `extension ${line(extension)} is unknown: the pool would not render`,
          remedy: `Known extensions: ${knownExtensions.join(', ')}`,
        }));
    case 'fips':
      return [
        {
          code: 'fips-change',
          text: 'it sets FIPS mode, which cannot be changed on running nodes',
          remedy: 'FIPS mode is chosen when the cluster is installed',
        },
      ];
    case 'kernelArguments':
      return lintKernelArguments(Array.isArray(value) ? value.map(String) : []);
    default:
      return [];
  }
}
