import { runStatusLine } from '../../vendor/memory-core/runtime/run-status-line.ts';
import { hostFacts } from '../host-facts.ts';

runStatusLine(hostFacts);
