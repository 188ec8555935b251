/** The names that an author's code finds without importing anything. */
import * as React from "react";
import Alert from "react-bootstrap/Alert";
import Button from "react-bootstrap/Button";
import Stack from "react-bootstrap/Stack";
import Tab from "react-bootstrap/Tab";
import { Chart } from "../components/markdown/Chart";
import * as fields from "./fields";
import { callBackend, callTool, sendMessage, useAgentState } from "./hooks";
import * as primitives from "./primitives";

const { Fragment, createContext, memo, useCallback, useContext, useEffect, useId, useLayoutEffect } = React;
const { useMemo, useReducer, useRef, useState, useTransition, useDeferredValue } = React;

/** JavaScript's own Map, which says so where it is used as a component. */
const MapOrWords = new Proxy(Map, {
  apply() {
    throw new Error("<Map> can't show maps yet. Use a Table or a Chart.");
  },
});

export const INJECTED: Readonly<Record<string, unknown>> = {
  React,
  Fragment,
  createContext,
  memo,
  useCallback,
  useContext,
  useDeferredValue,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useTransition,
  ...fields,
  ...primitives,
  Alert,
  Button,
  Chart,
  Map: MapOrWords,
  Stack,
  Tab,
  callBackend,
  callTool,
  sendMessage,
  useAgentState,
};
