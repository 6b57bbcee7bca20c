#!/usr/bin/env node
/** The same as `nx sync` and `nx sync:check`, without starting Nx: `sync-vendor.mjs [--check] [--root <folder>]`. */
import { syncVendorCommand } from '../src/command.mjs';

process.exitCode = syncVendorCommand(process.argv.slice(2), (line) => console.log(line));
