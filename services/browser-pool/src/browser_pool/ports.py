"""The ports that this runner's tools ask for."""

from agent_domain.policies.judgement import CompiledPolicies
from agent_platform.entities.entities import Entities
from agent_tools.context import CallContext
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.files import AgentFiles
from agent_tools.providers import Provider
from agent_tools.running.gate import RequestGate
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.pages import SessionPages
from browser_pool.contexts.contexts import BrowserContexts
from browser_pool.takeover.port import TakeoverRequests
from browser_pool.takeover.takeovers import Takeovers


def browser_ports(
    contexts: BrowserContexts, hand_overs: Takeovers, entities: Entities
) -> tuple[Provider, ...]:
    """The session's browser, and whom it is handed to."""
    policies = CompiledPolicies()

    def gate(call: CallContext) -> RequestGate:
        return RequestGate(entities, call, policies)

    def browser(call: CallContext, files: AgentFiles, gate: RequestGate) -> SessionBrowser:
        return SessionBrowser(contexts, call, files, gate)

    def person(browser: SessionBrowser, call: CallContext) -> TakeoverRequests:
        return TakeoverRequests(hand_overs, browser, call)

    def pages(browser: SessionBrowser, call: CallContext) -> BrowserPages:
        return SessionPages(contexts, browser, call)

    return gate, browser, person, pages
