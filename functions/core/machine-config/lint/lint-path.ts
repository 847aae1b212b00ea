import type { Warning } from '../disruption.ts';
import { line } from './line.ts';

/** Paths that do not persist, are not written, or belong to another component. On RHCOS /usr is read-only and the rest
 *  of the root links into /var. */
const badPaths: readonly (readonly [RegExp, string, string])[] = [
  [
    /^\/(?:var\/)?run\/machine-config-daemon-force$/,
    'it makes the daemon skip its checks, and the operator refuses it',
    'Create it by hand on the one node that needs it',
  ],
  [
    /^\/(?:proc|sys|dev|run|tmp|var\/run)(?:\/|$)/,
    'its content is lost at a reboot, or is not a file at all',
    'Write below /etc or /var; for /run use a tmpfiles.d entry',
  ],
  [/^\/usr\/(?!local(?:\/|$))/, '/usr is read-only on these nodes', 'Write to /etc or to /usr/local'],
  [
    /^\/(?:bin|sbin|lib|lib64|boot|sysroot|ostree)(?:\/|$)/,
    'it belongs to the OS image',
    'Write to /etc or to /usr/local, or layer the image',
  ],
  [
    /^\/etc\/(?:machine-config-daemon\/(?!no-reboot\/)|mco\/)/,
    'it belongs to the machine-config-daemon',
    'Leave it to the Machine Config Operator',
  ],
  [
    /^\/etc\/kubernetes\/(?:kubelet\.conf|kubelet-ca\.crt|ca\.crt|kubeconfig)$/,
    'the Machine Config Operator writes it itself',
    'Use a KubeletConfig, or the setting it comes from',
  ],
  [
    /^\/(?:etc\/containers\/(?:registries|storage|policy)\.(?:conf|json)|etc\/crio\/crio\.conf\.d\/00-default)$/,
    'the Machine Config Operator generates it, and the last name wins',
    'Use an ImageDigestMirrorSet, Image or ContainerRuntimeConfig, or a drop-in',
  ],
];

/** At most one warning about the path of a file. */
export function lintPath(path: string): readonly Warning[] {
  if (!path.startsWith('/') || /\/\.\.?(?:\/|$)|\/\//.test(path))
    return [
      {
        code: 'path-not-allowed',
        text: `file ${line(path)} has no absolute, clean path`,
        remedy: 'Write the full path, without dots',
      },
    ];
  return badPaths
    .filter(([pattern]) => pattern.test(path))
    .slice(0, 1)
    .map(([, why, remedy]) => ({ code: 'path-not-allowed', text: `file ${line(path)}: ${why}`, remedy }));
}
