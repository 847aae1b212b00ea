import type { MachineConfigContent } from '../../../../functions/core/machine-config/machine-config.ts';
import { machineConfig } from './builders.ts';

const script = `#!/bin/bash
# Lets the workload through until it has a policy of its own
set -euo pipefail
setenforce 0
sed -i 's/^SELINUX=enforcing/SELINUX=permissive/' /etc/selinux/config
`;

/** A MachineConfig like that of the article on automatic reboots during a sync, in our own words: a script that makes
 *  SELinux permissive, put on every worker, and run by nothing. */
export function configOfTheArticle(): MachineConfigContent {
  return machineConfig('50-worker-permissive', {
    files: {
      '/usr/local/bin/relax-selinux.sh': {
        mode: 493,
        overwrite: true,
        contents: { source: `data:text/plain;charset=utf-8;base64,${Buffer.from(script).toString('base64')}` },
      },
    },
  });
}
