/** Every check, in the order of the report. Doctor, status and the generated documentation read this list and no other. */
import type { Check } from './check.ts';
import { clientConfigCheck } from './checks/client-config.ts';
import { clientWiringCheck } from './checks/client-wiring.ts';
import { doubleCaptureCheck } from './checks/double-capture.ts';
import { hooksCheck } from './checks/hooks.ts';
import { interruptedRunCheck } from './checks/interrupted-run.ts';
import { keySafetyCheck } from './checks/key-safety.ts';
import { launcherCheck } from './checks/launcher.ts';
import { legacyCheck } from './checks/legacy.ts';
import { managedPolicyCheck } from './checks/managed-policy.ts';
import { mcpToolsCheck } from './checks/mcp-tools.ts';
import { permissionsCheck } from './checks/permissions.ts';
import { programFilesCheck } from './checks/program-files.ts';
import { serverCheck } from './checks/server.ts';
import { settingsCheck } from './checks/settings.ts';
import { spoolCheck } from './checks/spool.ts';
import { surroundingsCheck } from './checks/surroundings.ts';
import { switchedOffCheck } from './checks/switched-off.ts';

export const CHECKS: readonly Check[] = [
  interruptedRunCheck,
  launcherCheck,
  programFilesCheck,
  permissionsCheck,
  surroundingsCheck,
  serverCheck,
  mcpToolsCheck,
  keySafetyCheck,
  settingsCheck,
  clientConfigCheck,
  clientWiringCheck,
  switchedOffCheck,
  managedPolicyCheck,
  hooksCheck,
  doubleCaptureCheck,
  spoolCheck,
  legacyCheck,
];
