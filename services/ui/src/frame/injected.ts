/** The names that an author's code finds without importing anything. */
import * as React from "react";
import BsAlert from "react-bootstrap/Alert";
import BsButton from "react-bootstrap/Button";
import BsStack from "react-bootstrap/Stack";
import Tab from "react-bootstrap/Tab";
import { Chart as Drawing } from "../components/markdown/Chart";
import * as fields from "./fields";
import { callBackend, callTool, sendMessage, useAgentState } from "./hooks";
import { checked, OF_FIELDS } from "./knownProps";
import * as primitives from "./primitives";

const { Fragment, createContext, memo, useCallback, useContext, useEffect, useId, useLayoutEffect } = React;
const { useMemo, useReducer, useRef, useState, useTransition, useDeferredValue } = React;

const LINK = ["download", "href", "hrefLang", "rel", "target"];
const BUTTON = [...OF_FIELDS, ...LINK, "active", "variant"];
const ALERT = ["closeLabel", "closeVariant", "dismissible", "show", "transition", "variant"];

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
  Alert: Object.assign(checked("Alert", BsAlert, ALERT), {
    Heading: checked("Alert.Heading", BsAlert.Heading, []),
    Link: checked("Alert.Link", BsAlert.Link, LINK),
  }),
  Button: checked("Button", BsButton, BUTTON),
  Chart: checked("Chart", Drawing, ["type", "labels", "values", "series", "title"]),
  Map: MapOrWords,
  Stack: checked("Stack", BsStack, ["direction", "gap"]),
  Tab,
  callBackend,
  callTool,
  sendMessage,
  useAgentState,
};
