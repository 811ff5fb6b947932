"""The crowd side: a marketplace that answers the Mechanical Turk Requester API and serves workers.

The requester side never imports it, nor it the requester side; they meet over HTTP.
"""
