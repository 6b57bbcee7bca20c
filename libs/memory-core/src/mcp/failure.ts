/**
 * Why a message could not be delivered, as a JSON-RPC error that tells the reader what to check. Hosts show the message
 * and little else, so the next step is part of it; keys, and the parts of a URL that may hold one, never are.
 */
import type { Connection } from '../contract/settings.ts';
import { OpenVikingError } from '../errors/error.ts';

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;
/**
 * Everything that went wrong between proxy and server. From JSON-RPC's range for implementations, but not -32000 or
 * -32001, which client libraries take for "connection closed" and "timeout" of the stdio connection itself.
 */
export const DELIVERY_FAILED = -32050;

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface FailureOptions {
  readonly code: string;
  readonly message: string;
  readonly next?: string;
  readonly cause?: unknown;
  readonly status?: number;
  /** The server's own JSON-RPC error, to be handed on unchanged. */
  readonly rpcError?: JsonRpcError;
}

/** A request that got no proper answer. */
export class DeliveryFailure extends OpenVikingError {
  readonly status: number | undefined;
  readonly rpcError: JsonRpcError | undefined;

  constructor(options: FailureOptions) {
    super(options);
    this.status = options.status;
    this.rpcError = options.rpcError;
  }
}

/** The JSON-RPC error for whatever was thrown. */
export function toJsonRpcError(error: unknown): JsonRpcError {
  if (error instanceof DeliveryFailure && error.rpcError !== undefined) return error.rpcError;
  if (OpenVikingError.is(error)) {
    const status = error instanceof DeliveryFailure ? error.status : undefined;
    return {
      code: DELIVERY_FAILED,
      message: sentence(error),
      data: {
        code: error.code,
        ...(error.next === undefined ? {} : { next: error.next }),
        ...(status === undefined ? {} : { status }),
      },
    };
  }
  return {
    code: INTERNAL_ERROR,
    message: `The OpenViking MCP proxy failed inside: ${error instanceof Error ? error.message : String(error)}`,
  };
}

/** Message and next step as one text. */
export function sentence(error: unknown): string {
  if (OpenVikingError.is(error)) return error.next === undefined ? error.message : `${error.message} ${error.next}`;
  return error instanceof Error ? error.message : String(error);
}

/** A URL fit to be shown: user, password, query and fragment may hold secrets. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'the configured URL';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** What the user can check, by the system's or undici's error code. */
export function whatToCheck(code: string, connection: Connection): string {
  const where = `The URL comes from ${connection.source.url}.`;
  switch (code) {
    case 'ECONNREFUSED':
      return `Check that the OpenViking server is running there. ${where}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `Check the host name and the network. ${where}`;
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `Check network, firewall and proxy settings (HTTPS_PROXY, NO_PROXY). ${where}`;
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return `Check whether the URL should begin with http:// instead of https://. ${where}`;
    default:
      if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/.test(code)) {
        return `Check the server's certificate; for a private certificate authority set OPENVIKING_CA_FILE to its PEM file.`;
      }
      return `Check that the server is healthy and the URL right. ${where}`;
  }
}
